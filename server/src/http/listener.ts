import http from 'node:http'
import { ApiError } from '../api/errors.ts'
import type { Route } from '../api/operation.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import type { Corridor, Walk } from './corridor.ts'
import { preflightHeaders } from './cors.ts'
import type { PathParams } from './exchange.ts'
import { checkHead, headersOf, leavesBodyUnread, requestIdOf } from './head.ts'

// The listener's own limit answers without a body, so it is set above ours, which answers with an Error object.
Object.assign(http, { maxHeaderSize: 64 * 1024 })

/** Something served outside the metered interface: a page, the description, a health check. */
export interface WebPage {
  readonly path: string
  readonly get: (request: Request) => Response | Promise<Response>
}

export interface Served {
  readonly routes: readonly Route[]
  readonly pages: readonly WebPage[]
  /** The page for an address that nothing has, where the caller would rather have a page than an Error. */
  readonly missing: (request: Request) => Response | undefined
  readonly corridor: Pick<Corridor, 'to' | 'astray' | 'preflight'>
}

export interface Listener {
  readonly port: number
  /** Takes no new connections, lets the requests under way finish, then closes the rest. */
  stop(): Promise<void>
}

type Server = Bun.Server<undefined>
type Handler = (request: Request & { readonly params?: PathParams }, server: Server) => Response | Promise<Response>

type ByMethod = Record<string, Handler>

/** Methods by which the listener finds a handler itself. What comes with another one comes to its fallback. */
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const idleTimeoutSeconds = 60
const stopTimeoutMs = 10_000

/** Puts operations and pages on a port, and others in their place with `replace`. The only file that knows the listener. */
export function listen(host: string, port: number, served: Served): Listener & { replace(served: Served): void } {
  let stopping = false
  const isStopping = () => stopping
  const optionsFor = (served: Served) => ({
    hostname: host,
    port,
    ...handlersOf(served, isStopping),
    // Bodies are measured in the corridor, where the refusal can say why.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleTimeoutSeconds,
    development: false,
    // Bun shares the port between processes unless told not to: a second start would take half of the requests.
    reusePort: false,
  })
  const server = opened({ host, port, setting: 'PORT' }, () => Bun.serve(optionsFor(served)))

  return {
    port: server.port ?? port,
    replace: (served) => void server.reload(optionsFor(served)),
    async stop() {
      stopping = true
      const forced = setTimeout(() => void server.stop(true), stopTimeoutMs)
      await server.stop()
      clearTimeout(forced)
    },
  }
}

/** The handlers of all that is served, in the listener's form. */
function handlersOf({ routes, pages, missing, corridor }: Served, isStopping: () => boolean) {
  const handlers: Record<string, ByMethod> = {}
  const refusals: { readonly path: string; readonly pattern: RegExp; readonly wrongMethod: Handler }[] = []

  for (const [path, own] of byPath(routes, (route) => through(corridor.to(route)))) serve(path, own)
  for (const { path, get } of pages) {
    const page: Handler = async (request, server) => {
      const head = headOf(request)
      try {
        checkHead(head)
        return finish(head, await get(request))
      } catch (error) {
        // Answered, logged and metered like a failure of an operation.
        return through(corridor.astray(error))(request, server)
      }
    }
    serve(path, { GET: page, HEAD: page })
  }

  /** Puts handlers on a path, and beside them what it answers to other methods. */
  function serve(path: string, own: ByMethod): void {
    const allow = [...Object.keys(own), 'OPTIONS'].join(', ')
    const preflight = through(corridor.preflight(preflightHeaders(allow)))
    const wrongMethod = through(
      corridor.astray(new ApiError('method_not_allowed', undefined, { headers: { Allow: allow } })),
    )
    const others = Object.fromEntries(knownMethods.map((method) => [method, wrongMethod]))
    handlers[path] = { ...others, OPTIONS: preflight, ...own }
    refusals.push({ path, pattern: patternOf(path), wrongMethod })
  }

  function through(walk: Walk): Handler {
    return (request, server) => closing(walk(request, request.params ?? {}, server))
  }

  /** An answer that did not come through the corridor. */
  function finish(head: Head, response: Response): Response | Promise<Response> {
    response.headers.set('X-Request-Id', requestIdOf(head.headers))
    if (leavesBodyUnread(head)) response.headers.set('Connection', 'close')
    return closing(response)
  }

  // A connection that stays open would hold up the stop, so answers given while stopping close theirs.
  function closing(answer: Response | Promise<Response>): Response | Promise<Response> {
    if (!isStopping()) return answer
    return Promise.resolve(answer).then((response) => {
      response.headers.set('Connection', 'close')
      return response
    })
  }

  const unknownPath = through(corridor.astray(new ApiError('route_not_found')))
  /** What is answered where there is no handler. A path that exists says so to a method that the listener does not know, too. */
  function fallbackFor({ method, url }: Request): Handler {
    if (knownMethods.includes(method)) return unknownPath
    const asked = URL.parse(url)?.pathname ?? ''
    const found = refusals.find(({ path }) => path === asked) ?? refusals.find(({ pattern }) => pattern.test(asked))
    return found?.wrongMethod ?? unknownPath
  }

  return {
    routes: handlers,
    fetch: (request: Request, server: Server) => {
      const head = headOf(request)
      const page = isRead(request) && fits(head) ? missing(request) : undefined
      return page ? finish(head, page) : fallbackFor(request)(request, server)
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

/** The handlers of each path. */
function byPath(routes: readonly Route[], handlerOf: (route: Route) => Handler): Map<string, ByMethod> {
  const paths = new Map<string, ByMethod>()
  for (const route of routes) {
    const { path, method } = route.operation
    const own = getOrCreate(paths, path.replace(/\{(\w+)\}/g, ':$1'), (): ByMethod => ({}))
    const handler = handlerOf(route)
    own[method.toUpperCase()] = handler
    if (method === 'get') own.HEAD = handler
  }
  return paths
}

/** The paths that one of the listener's stands for, such as `/pets/:petId` or `/console/*`. */
function patternOf(path: string): RegExp {
  const steps = path.split('/').map((step) => {
    if (step === '*') return '.*'
    return step.startsWith(':') ? '[^/]+' : RegExp.escape(step)
  })
  return new RegExp(`^${steps.join('/')}$`)
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
