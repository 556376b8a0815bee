import { ApiError, apiErrors } from '../../platform/api/errors.ts'

/**
 * Returns a function that throws if a page of another website sent the request. The protocol asks for this, so that no website can
 * reach a service on the visitor's computer by pointing its own name at it. Programs send no `Origin`.
 */
export function createOriginCheck(baseUrl: string): (origin: string | undefined) => void {
  const own = new URL(baseUrl).origin
  return (origin) => {
    if (origin === undefined || origin === own || isLoopback(origin)) return
    throw new ApiError(apiErrors.origin_not_allowed, `Pages of ${origin} may not call this endpoint.`)
  }
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Only pages: a browser extension may choose any name, such as `chrome-extension://localhost`. */
function isLoopback(origin: string): boolean {
  const { protocol = '', hostname = '' } = URL.parse(origin) ?? {}
  return /^https?:$/.test(protocol) && loopbackNames.has(hostname)
}
