import { ApiError, apiErrors, validationFailed } from '../../platform/api/errors.ts'
import { bodyKibMax, headersKibMax, urlKibMax } from '../../platform/api/sizes.ts'
import { type Random, systemRandom } from '../../platform/lib/random.ts'
import { Call, type CallContext, type PathParams } from '../pipeline.ts'

/** Looks up the address of the other end of the socket. */
export interface PeerAddresses {
  requestIP(request: Request): { readonly address: string; readonly port: number } | null
}

/** One HTTP request with its response. */
export class Exchange extends Call {
  readonly headers: GivenHeaders
  readonly url: string
  /** The body, once it has been read, even if it was then rejected. */
  bodyText: string | undefined
  /** The body of the response, unless it has none or is a stream. */
  responseText: string | undefined
  private reading: Promise<string> | undefined

  constructor(
    readonly request: Request,
    params: PathParams,
    private readonly peers: PeerAddresses,
    context: CallContext,
    private readonly bodyTypes: readonly string[] = [],
  ) {
    const headers = headersOf(request)
    super(requestIdOf(headers, context.random), params, context)
    this.headers = headers
    this.url = request.url
  }

  get method(): string {
    return this.request.method
  }
  get apiKey(): string | undefined {
    return this.headers['x-api-key']
  }
  get authorization(): string | undefined {
    return this.headers.authorization
  }
  get traceparent(): string | undefined {
    return this.headers.traceparent
  }
  get prefer(): string | undefined {
    return this.headers.prefer
  }
  get ifMatch(): string | undefined {
    return this.headers['if-match']
  }
  get ifNoneMatch(): string | undefined {
    return this.headers['if-none-match']
  }
  get idempotencyKey(): string | undefined {
    return this.headers['idempotency-key']
  }
  get lastEventId(): string | undefined {
    return this.headers['last-event-id']
  }
  get query(): Record<string, string | string[]> | undefined {
    return this.url.includes('?') ? queryOf(this.url) : undefined
  }
  /** The connection was closed: by the client, or by the listener because what follows the request is not HTTP. */
  get isAbandoned(): boolean {
    return this.request.signal.aborted
  }

  address(): string {
    const peer = this.peers.requestIP(this.request)?.address ?? ''
    return this.context.addressOf(peer, this.headers['x-forwarded-for'])
  }

  /** The port of the client, which tells its connections apart; undefined behind a proxy, which shares them. */
  connection(): number | undefined {
    const { 'x-forwarded-for': forwardedFor, forwarded, via } = this.headers
    return (forwardedFor ?? forwarded ?? via) ? undefined : this.peers.requestIP(this.request)?.port
  }

  body(): Promise<string> {
    this.reading ??= readBody(this, this.bodyTypes, (text) => {
      this.bodyText = text
    })
    return this.reading
  }
}

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
function mustBeSingle(value: string | undefined, name: string): void {
  if (!value?.includes(',')) return
  throw validationFailed([{ in: 'header', path: `/${name}`, message: 'must be given once' }])
}

/**
 * Whether too much of the body is still unread: the listener would read and discard all of it, so the response closes the connection.
 * `isDiscarded`: the body may still be read, but its result is not used.
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

/** Query parameters as an object; a repeated name becomes a list. */
function queryOf(url: string): Record<string, string | string[]> {
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

const bytesMax = bodyKibMax * 1024
const wholeNumber = /^\d+$/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body as text, '' if there is none. The media type must be one of `types`. Buffers no more than the limit. `onRead` gets the
 * text of a body that is then rejected, too, if it is text.
 */
export async function readBody(
  { request, headers }: RequestWithBody,
  types: readonly string[],
  onRead?: (text: string | undefined) => void,
): Promise<string> {
  const declared = headers['content-length']
  if (declared !== undefined && Number(declared) > bytesMax) throw tooLarge()
  if (declared === undefined && headers['transfer-encoding'] === undefined) return ''
  // Only a body without a usable length (two equal ones arrive as "5, 5") is read as a stream: creating one takes longer than
  // reading a small body.
  const hasLength = declared !== undefined && wholeNumber.test(declared)
  let bytes: Uint8Array
  try {
    bytes = await (hasLength ? request.bytes() : readCapped(request))
  } catch (error) {
    // A client that disconnects while sending its body is not a failure of the service and must not be logged as one.
    if (error instanceof ApiError) throw error
    throw new ApiError(apiErrors.malformed_json, 'The body ended before it was complete.', {
      advice: 'Send as many bytes as `Content-Length` says.',
    })
  }
  const text = decode(bytes)
  onRead?.(text)
  mustBeSingle(declared, 'Content-Length')
  if (bytes.length > 0) checkContentType(headers, types)
  if (text === undefined) {
    throw new ApiError(apiErrors.malformed_json, 'The body is not valid UTF-8.', { advice: 'Encode it as UTF-8.' })
  }
  return text
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

async function readCapped({ body }: Request): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > bytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

// The rest of the body is not read, so the connection cannot be used again.
const tooLarge = () => new ApiError(apiErrors.body_too_large, undefined, { headers: { Connection: 'close' } })

function checkContentType(headers: GivenHeaders, types: readonly string[]): void {
  const given = headers['content-type'] ?? ''
  if (!types.includes(given) && !types.includes(essenceOf(given))) {
    const declared =
      given === '' ? 'The body has no `Content-Type`.' : `The body is declared as \`${given}\`, not as JSON.`
    throw new ApiError(apiErrors.unsupported_media_type, declared, {
      advice: `Send \`Content-Type: ${types.join('` or `')}\`.`,
    })
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new ApiError(
      apiErrors.unsupported_media_type,
      `The body is encoded as \`${encoding}\`, which is not supported.`,
      {
        advice: 'Send it without compression and without `Content-Encoding`.',
      },
    )
  }
}

/** A media type without its parameters. */
const essenceOf = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
