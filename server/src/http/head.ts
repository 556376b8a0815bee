import { ApiError, validationFailed } from '../api/errors.ts'
import { headersKibMax, urlKibMax } from '../api/sizes.ts'
import { newRequestId } from '../lib/random.ts'

/** A body that was not read and is longer than this, or of unknown length, costs the connection. */
const unreadBytesMax = 64 * 1024

/** The headers of a request by their names in small letters. */
export type GivenHeaders = Readonly<Record<string, string | undefined>>

/** A request whose body may be read. */
export interface WithBody {
  readonly request: Request
  readonly headers: GivenHeaders
}

/** All of them at once: eight that are asked for one by one take longer. */
export const headersOf = ({ headers }: Request): GivenHeaders => headers.toJSON()

/** Refuses a request whose head is too large or says two things at once. */
export function checkHead({ url, headers }: { readonly url: string; readonly headers: GivenHeaders }): void {
  if (url.length > urlKibMax * 1024) throw new ApiError('uri_too_long')
  if (sizeOf(headers) > headersKibMax * 1024) throw new ApiError('headers_too_large')
  mustBeSingle(headers.host, 'Host')
}

function sizeOf(headers: GivenHeaders): number {
  let bytes = 0
  // Cookies to be set, which have no place in a request, come as a list.
  for (const name in headers) bytes += name.length + String(headers[name]).length + 4
  return bytes
}

/** A header of which a request has one: a second one arrives behind a comma. */
export function mustBeSingle(value: string | undefined, name: string): void {
  if (!value?.includes(',')) return
  throw validationFailed([{ in: 'header', path: `/${name}`, message: 'must be given once' }])
}

/**
 * Whether more of the body may be on its way than is worth reading: the listener would swallow it without end, so the connection is
 * closed with the answer.
 */
export function leavesBodyUnread({ request, headers }: WithBody, isGivenUp = false): boolean {
  const isShort = Number(headers['content-length'] ?? 0) <= unreadBytesMax
  return (headers['transfer-encoding'] !== undefined || !isShort) && (isGivenUp || !request.bodyUsed)
}

/** The caller's own id of the request when it is well formed, else a new one. */
export function requestIdOf(headers: GivenHeaders): string {
  const given = headers['x-request-id']
  return given !== undefined && /^[\x21-\x7e]{1,128}$/.test(given) ? given : newRequestId()
}
