import { newRequestId } from '../lib/random.ts'

/** The caller's own id of the request when it is well formed, else a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given !== null && /^[\x21-\x7e]{1,128}$/.test(given) ? given : newRequestId()
}
