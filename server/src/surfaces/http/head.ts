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
 * Whether too much of the body is still unread: the listener would read and discard all of it, so the answer closes the connection.
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
