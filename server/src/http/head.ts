import { ApiError, validationFailed } from '../api/errors.ts'
import { headersKibMax, urlKibMax } from '../api/sizes.ts'
import { newRequestId } from '../lib/random.ts'

/** A body that was not read and is longer than this, or of unknown length, costs the connection. */
const unreadBytesMax = 64 * 1024

/** Refuses a request whose head is too large or says two things at once. */
export function checkHead({ url, headers }: { readonly url: string; readonly headers: Headers }): void {
  if (url.length > urlKibMax * 1024) throw new ApiError('uri_too_long')
  if (sizeOf(headers) > headersKibMax * 1024) throw new ApiError('headers_too_large')
  mustBeSingle(headers, 'Host')
}

let bytes = 0
const add = (value: string, name: string): void => {
  bytes += name.length + value.length + 4
}

/** Walked without an iterator, a closure or a pair for each header: those were a tenth of a request's garbage. */
function sizeOf(headers: Headers): number {
  bytes = 0
  headers.forEach(add)
  return bytes
}

/** A header of which a request has one: a second one arrives behind a comma. */
export function mustBeSingle(headers: Headers, name: string): void {
  if (!headers.get(name)?.includes(',')) return
  throw validationFailed([{ in: 'header', path: `/${name}`, message: 'must be given once' }])
}

/**
 * Whether more of the body may be on its way than is worth reading: the listener would swallow it without end, so the connection is
 * closed with the answer.
 */
export function leavesBodyUnread({
  request,
  headers,
}: {
  readonly request: Request
  readonly headers: Headers
}): boolean {
  const isShort = Number(headers.get('content-length') ?? 0) <= unreadBytesMax
  return (headers.has('transfer-encoding') || !isShort) && !request.bodyUsed
}

/** The caller's own id of the request when it is well formed, else a new one. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get('x-request-id')
  return given !== null && /^[\x21-\x7e]{1,128}$/.test(given) ? given : newRequestId()
}
