import http from 'node:http'
import { ApiError } from '../api/errors.ts'
import type { Route } from '../api/operation.ts'
import type { Corridor, Walk } from './corridor.ts'
import { preflightHeaders } from './cors.ts'
import { checkHead, headersOf, leavesBodyUnread, requestIdOf } from './head.ts'

// The listener's own limit answers without a body, so it is set above ours, which answers with an Error object.
Object.assign(http, { maxHeaderSize: 64 * 1024 })

/** Something served outside the metered interface: a page, the description, a health check. */
export interface WebPage {
  readonly path: string
  readonly get: (request: Request) => Response | Promise<Response>
}

interface Served {
  readonly routes: readonly Route[]
  readonly pages: readonly WebPage[]
  /** The page for an address that nothing has, where the caller would rather have a page than an Error. */
  readonly missing: (request: Request) => Response | undefined
  readonly corridor: Corridor
  readonly host: string
  readonly port: number
}

export interface Listener {
  readonly port: number
  /** Takes no new connections, lets the requests under way finish, then closes the rest. */
  stop(): Promise<void>
}

type Server = Bun.Server<undefined>
type Handler = (request: Bun.BunRequest, server: Server) => Response | Promise<Response>

const idleTimeoutSeconds = 60
const stopTimeoutMs = 10_000

/** Puts operations and pages on a port. The only file that knows the listener. */
export function listen({ routes, pages, missing, corridor, host, port }: Served): Listener {
  let stopping = false
  const handlers: Record<string, Handler> = {}

  for (const [path, walks] of byPath(routes, corridor)) {
    const { preflight, wrongMethod } = othersAt([...walks.keys()])
    handlers[path] = (request, server) => {
      const walk = request.method === 'OPTIONS' ? preflight : (walks.get(request.method) ?? wrongMethod)
      return goThrough(walk, request, server, request.params)
    }
  }
  for (const { path, get } of pages) {
    const { preflight, wrongMethod } = othersAt(['GET', 'HEAD'])
    handlers[path] = async (request, server) => {
      if (request.method === 'OPTIONS') return goThrough(preflight, request, server)
      if (!isRead(request)) return goThrough(wrongMethod, request, server)
      const head = headOf(request)
      try {
        checkHead(head)
        return finish(head, await get(request))
      } catch (error) {
        // Answered, logged and metered like a failure of an operation.
        return goThrough(corridor.astray(error), request, server)
      }
    }
  }

  /** What a path answers to methods other than its own. */
  function othersAt(methods: string[]): { preflight: Walk; wrongMethod: Walk } {
    const allow = [...methods, 'OPTIONS'].join(', ')
    return {
      preflight: corridor.preflight(preflightHeaders(allow)),
      wrongMethod: corridor.astray(new ApiError('method_not_allowed', undefined, { headers: { Allow: allow } })),
    }
  }

  function goThrough(walk: Walk, request: Request, server: Server, params = {}): Response | Promise<Response> {
    return closing(walk(request, params, server))
  }

  /** An answer that did not come through the corridor. */
  function finish(head: Head, response: Response): Response | Promise<Response> {
    response.headers.set('X-Request-Id', requestIdOf(head.headers))
    if (leavesBodyUnread(head)) response.headers.set('Connection', 'close')
    return closing(response)
  }

  // A connection that stays open would hold up the stop, so answers given while stopping close theirs.
  function closing(answer: Response | Promise<Response>): Response | Promise<Response> {
    if (!stopping) return answer
    return Promise.resolve(answer).then((response) => {
      response.headers.set('Connection', 'close')
      return response
    })
  }

  const unknownPath = corridor.astray(new ApiError('route_not_found'))
  const server = opened({ host, port, setting: 'PORT' }, () =>
    Bun.serve({
      hostname: host,
      port,
      routes: handlers,
      fetch: (request, server) => {
        const head = headOf(request)
        const page = isRead(request) && fits(head) ? missing(request) : undefined
        return page ? finish(head, page) : goThrough(unknownPath, request, server)
      },
      // Bodies are measured in the corridor, where the refusal can say why.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: idleTimeoutSeconds,
      development: false,
      // Bun shares the port between processes unless told not to: a second start would take half of the requests.
      reusePort: false,
    }),
  )

  return {
    port: server.port ?? port,
    async stop() {
      stopping = true
      const forced = setTimeout(() => void server.stop(true), stopTimeoutMs)
      await server.stop()
      clearTimeout(forced)
    },
  }
}

const headOf = (request: Request) => ({ request, url: request.url, headers: headersOf(request) })
type Head = ReturnType<typeof headOf>

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Whether the head of a request is small enough for a page; if not, the corridor says so. */
function fits(head: Head): boolean {
  try {
    checkHead(head)
    return true
  } catch {
    return false
  }
}

/** The ways to the operations of each path, by method. */
function byPath(routes: readonly Route[], corridor: Corridor): Map<string, Map<string, Walk>> {
  const paths = new Map<string, Map<string, Walk>>()
  for (const route of routes) {
    const path = route.operation.path.replace(/\{(\w+)\}/g, ':$1')
    const walks = paths.get(path) ?? new Map<string, Walk>()
    paths.set(path, walks)
    const walk = corridor.to(route)
    walks.set(route.operation.method.toUpperCase(), walk)
    if (route.operation.method === 'get') walks.set('HEAD', walk)
  }
  return paths
}

/** Prometheus reads this on a port of its own, which clients do not reach. */
export function serveMetrics(host: string, port: number, metrics: { render(): string }): Listener {
  const headers = { 'Content-Type': 'text/plain; version=0.0.4' }
  const server = opened({ host, port, setting: 'METRICS_PORT' }, () =>
    Bun.serve({ hostname: host, port, reusePort: false, fetch: () => new Response(metrics.render(), { headers }) }),
  )
  return { port: server.port ?? port, stop: () => server.stop(true) }
}

/** Says in a sentence why a port cannot be opened, and what to do. */
function opened<T>({ host, port, setting }: { host: string; port: number; setting: string }, open: () => T): T {
  try {
    return open()
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'EADDRINUSE') {
      throw new Error(`Port ${port} is in use. Stop the program that has it, or set ${setting} to another port.`)
    }
    throw new Error(`Cannot listen on ${host}, port ${port} (${message}). Set HOST and ${setting} to others.`)
  }
}
