import type { ByMethod, Handler } from '../surfaces/http/listener.ts'
import { exposedHeaders } from '../surfaces/http/response.ts'

/** Lets pages of these origins use the operations of the host. `*` stands for every origin. */
export interface Cors {
  allows(origin: string): boolean
  /** The handlers of a path, with the headers that browsers need, and the response to their preflights. */
  wrap(handlers: ByMethod, allow: string): ByMethod
}

export function createCors(given: readonly string[]): Cors {
  const origins = given.map(readOrigin)
  const allows = (origin: string) => origins.includes('*') || origins.includes(origin)

  function withHeaders(request: Request, response: Response, more: Readonly<Record<string, string>> = {}): Response {
    const origin = request.headers.get('origin')
    // A cache must not give one origin the response of another.
    response.headers.append('Vary', 'Origin')
    if (origin === null || !allows(origin)) return response
    const headers = { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedHeaders, ...more }
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
    return response
  }

  return {
    allows,
    wrap(handlers, allow) {
      if (origins.length === 0) return handlers
      const preflight: Handler = (request) =>
        withHeaders(request, new Response(null, { status: 204, headers: { Allow: allow } }), {
          'Access-Control-Allow-Methods': allow,
          'Access-Control-Allow-Headers': 'Content-Type, Accept, X-API-Key, Authorization',
          'Access-Control-Max-Age': '600',
        })
      const wrapped = Object.entries(handlers).map(([method, handle]): [string, Handler] => [
        method,
        async (request, params, peers) => withHeaders(request, await handle(request, params, peers)),
      ])
      return { ...Object.fromEntries(wrapped), OPTIONS: preflight }
    },
  }
}

/** As browsers send it: a slash at the end would never match. */
function readOrigin(given: string): string {
  const origin = given === '*' ? given : URL.parse(given)?.origin
  if (origin === undefined || origin === 'null')
    throw new Error(`"${given}" is not an origin such as http://localhost:5173.`)
  return origin
}
