import { ApiError, apiErrors, validationFailed } from '../../platform/api/errors.ts'
import { headersKibMax, urlKibMax } from '../../platform/api/sizes.ts'
import { type Random, systemRandom } from '../../platform/lib/random.ts'

/** An unread body longer than this, or of unknown length, closes the connection. */
const unreadBytesMax = 64 * 1024

/** Request headers by lower-case name. */
export type GivenHeaders = Readonly<Record<string, string | undefined>>

/** A request whose body may be read. */
export interface RequestWithBody {
  readonly request: Request
  readonly headers: GivenHeaders
}

/** Reads all headers in one call, which is faster than eight single lookups. */
export const headersOf = ({ headers }: Request): GivenHeaders => headers.toJSON()

/** Throws if the URL or the headers are too large, or if `Host` is repeated. */
export function checkHead({ url, headers }: { readonly url: string; readonly headers: GivenHeaders }): void {
  if (url.length > urlKibMax * 1024) throw new ApiError(apiErrors.uri_too_long)
  if (sizeOf(headers) > headersKibMax * 1024) throw new ApiError(apiErrors.headers_too_large)
  mustBeSingle(headers.host, 'Host')
}

function sizeOf(headers: GivenHeaders): number {
  let bytes = 0
  // `Set-Cookie`, which does not belong in a request, arrives as a list.
  for (const name in headers) bytes += name.length + String(headers[name]).length + 4
  return bytes
}

/** Throws if a header was sent twice: the second value arrives after a comma. */
export function mustBeSingle(value: string | undefined, name: string): void {
  if (!value?.includes(',')) return
  throw validationFailed([{ in: 'header', path: `/${name}`, message: 'must be given once' }])
}

/**
 * Whether too much of the body is still unread: the listener would read and discard all of it, so the response closes the connection.
 * `isDiscarded`: the body may be being read, but its result is not used.
 */
export function leavesBodyUnread({ request, headers }: RequestWithBody, isDiscarded = false): boolean {
  const isShort = Number(headers['content-length'] ?? 0) <= unreadBytesMax
  return (headers['transfer-encoding'] !== undefined || !isShort) && (isDiscarded || !request.bodyUsed)
}

/** The client's `X-Request-Id` if it is well formed, otherwise a new id. */
export function requestIdOf(headers: GivenHeaders, random: Random = systemRandom): string {
  const given = headers['x-request-id']
  return given !== undefined && /^[\x21-\x7e]{1,128}$/.test(given) ? given : random.uuid()
}

/** The text after the `?`. The URL is not parsed: it contains the `Host` header, which may be invalid. */
export function queryText(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Query parameters as an object; a repeated name has a list. */
export function queryOf(url: string): Record<string, string | string[]> {
  // No prototype, so that a parameter named __proto__ is seen and rejected like any other.
  const values: Record<string, string | string[]> = Object.create(null)
  const text = queryText(url)
  if (isPlain(text)) {
    for (const pair of text.split('&')) {
      const end = pair.indexOf('=')
      if (end >= 0) add(values, pair.slice(0, end), pair.slice(end + 1))
      else if (pair !== '') add(values, pair, '')
    }
  } else {
    for (const [name, value] of new URLSearchParams(text)) add(values, name, value)
  }
  return values
}

/** Whether the text needs no decoding. Most queries need none, and skipping it is several times faster. */
export const isPlain = (text: string): boolean => /^[\w=&.-]*$/.test(text)

function add(values: Record<string, string | string[]>, name: string, value: string): void {
  const before = values[name]
  if (Array.isArray(before)) before.push(value)
  else values[name] = before === undefined ? value : [before, value]
}

// Content negotiation. Most responses exist only as JSON; errors also as problem details (RFC 9457).

interface Range {
  readonly type: string
  readonly quality: number
}

function parseAccept(accept: string): Range[] {
  return accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
  })
}

/** The quality that the most specific matching range gives a type, 0 if none matches. */
function qualityOf(accept: Range[], type: string): number {
  for (const candidate of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const range = accept.find((range) => range.type === candidate)
    if (range) return range.quality
  }
  return 0
}

const json = 'application/json'
const problem = 'application/problem+json'

/** Whether the client accepts this type or, instead of JSON, problem details. */
export function acceptsResponse(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept === '*/*' || accept === type || accept.trim() === '') return true
  const wanted = parseAccept(accept)
  return qualityOf(wanted, type) > 0 || (type === json && qualityOf(wanted, problem) > 0)
}

export function prefersProblem(accept: string | undefined): boolean {
  if (!accept?.includes('problem+json')) return false
  const wanted = parseAccept(accept)
  return qualityOf(wanted, problem) > 0 && qualityOf(wanted, problem) >= qualityOf(wanted, json)
}

/** The quality of a type that is listed by name, 0 if it is not. */
const qualityByName = (accept: string, type: string): number =>
  parseAccept(accept).find((range) => range.type === type)?.quality ?? 0

/** Probably a program: names JSON, and prefers it to HTML. */
export const prefersJson = (accept: string | null): boolean =>
  accept?.includes(json) === true && qualityByName(accept, json) > qualityByName(accept, 'text/html')

/** Probably a browser: names HTML, and does not prefer JSON. */
export const prefersHtml = (accept: string | null): boolean =>
  accept?.includes('text/html') === true &&
  qualityByName(accept, 'text/html') > 0 &&
  qualityByName(accept, 'text/html') >= qualityByName(accept, json)

/** Probably an agent: names Markdown, and prefers it to HTML. */
export const prefersMarkdown = (accept: string | null): boolean =>
  accept?.includes('text/markdown') === true &&
  qualityByName(accept, 'text/markdown') > qualityByName(accept, 'text/html')

export const acceptsEncoding = (acceptEncoding: string | null, encoding: string): boolean =>
  parseAccept(acceptEncoding ?? '').some(({ type, quality }) => type === encoding && quality > 0)
