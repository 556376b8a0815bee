import http from 'node:http'
import { ApiError } from '../api/errors.ts'
import type { Route } from '../api/operation.ts'
import type { Clock } from '../lib/clock.ts'
import { preflightHeaders } from './cors.ts'
import type { PathParams } from './exchange.ts'
import { checkHead, headersOf, leavesBodyUnread, requestIdOf } from './head.ts'
import type { Pipeline, RequestHandler } from './pipeline.ts'

// Bun's header limit answers without a body, so it is set above ours, which answers with an Error object.
Object.assign(http, { maxHeaderSize: 64 * 1024 })

/** Something served without metering: a page, the description, a health check. */
export interface WebPage {
  readonly path: string
  readonly get: (request: Request) => Response | Promise<Response>
}

/** A path that another protocol uses. Its handler gets every method but answers only those allowed. */
export interface Endpoint {
  readonly path: string
  readonly allow: string
  readonly handle: RequestHandler
}

export interface Served {
  readonly routes: readonly Route[]
  readonly endpoints: readonly Endpoint[]
  readonly pages: readonly WebPage[]
  /** The page for an unknown path, if the client prefers a page to an Error. */
  readonly missing: (request: Request) => Response | undefined
  readonly pipeline: Pick<Pipeline, 'operationHandler' | 'errorHandler' | 'preflightHandler'>
  readonly clock: Pick<Clock, 'now'>
}

export interface Listener {
  readonly port: number
  /** Accepts no new connections, lets running requests finish, then closes the rest. */
  stop(): Promise<void>
}

type Server = Bun.Server<undefined>
type Handler = (request: Request & { readonly params?: PathParams }, server: Server) => Response | Promise<Response>

type ByMethod = Record<string, Handler>

/** Methods that Bun routes itself. A request with another method goes to `fetch`. */
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const idleTimeoutSeconds = 60
const stopTimeoutMs = 10_000

/** Serves operations and pages on a port; `replace` swaps them. The only file that uses `Bun.serve`. */
export function listen(host: string, port: number, served: Served): Listener & { replace(served: Served): void } {
  let stopping = false
  const isStopping = () => stopping
  const optionsFor = (served: Served) => ({
    hostname: host,
    port,
    ...handlersOf(served, isStopping),
    // The pipeline limits the size of bodies, so that its refusal can say why.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: idleTimeoutSeconds,
    development: false,
    // Bun shares the port between processes by default: a second service would get half of the requests.
    reusePort: false,
  })
  const server = openPort({ host, port, setting: 'PORT' }, () => Bun.serve(optionsFor(served)))

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

/** The handlers of everything served, in Bun's form. */
function handlersOf({ routes, endpoints, pages, missing, pipeline, clock }: Served, isStopping: () => boolean) {
  const handlers: Record<string, ByMethod> = {}
  const refusals: { readonly path: string; readonly pattern: RegExp; readonly wrongMethod: Handler }[] = []

  for (const [path, own] of groupByPath(routes, (route) => toBun(pipeline.operationHandler(route)))) serve(path, own)
  for (const { path, allow, handle } of endpoints) {
    const methods = knownMethods.filter((method) => method !== 'OPTIONS')
    serve(path, Object.fromEntries(methods.map((method) => [method, toBun(handle)])), `${allow}, OPTIONS`)
  }
  for (const { path, get } of pages) {
    const page: Handler = async (request, server) => {
      const head = headOf(request)
      try {
        checkHead(head)
        return finish(head, await get(request))
      } catch (error) {
        // Answered, logged and metered like a failure of an operation.
        return toBun(pipeline.errorHandler(error))(request, server)
      }
    }
    serve(path, { GET: page, HEAD: page })
  }

  /** Registers the handlers of a path, and its answers to all other methods. */
  function serve(path: string, own: ByMethod, allow = [...Object.keys(own), 'OPTIONS'].join(', ')): void {
    const preflight = toBun(pipeline.preflightHandler(preflightHeaders(allow)))
    const wrongMethod = toBun(
      pipeline.errorHandler(new ApiError('method_not_allowed', undefined, { headers: { Allow: allow } })),
    )
    const others = Object.fromEntries(knownMethods.map((method) => [method, wrongMethod]))
    handlers[path] = { ...others, OPTIONS: preflight, ...own }
    refusals.push({ path, pattern: patternOf(path), wrongMethod })
  }

  function toBun(handle: RequestHandler): Handler {
    return (request, server) => complete(request, handle(request, request.params ?? {}, server))
  }

  /** Completes a response that did not go through the pipeline. */
  function finish(head: Head, response: Response): Response | Promise<Response> {
    response.headers.set('X-Request-Id', requestIdOf(head.headers))
    if (leavesBodyUnread(head)) response.headers.set('Connection', 'close')
    return complete(head.request, response)
  }

  function complete({ method }: Request, answer: Response | Promise<Response>): Response | Promise<Response> {
    if (method !== 'HEAD' && !isStopping()) return answer
    return Promise.resolve(answer).then((response) => {
      // An open connection would delay the stop, so answers sent while stopping close theirs.
      if (isStopping()) response.headers.set('Connection', 'close')
      // Bun dates all answers but these.
      if (method === 'HEAD') response.headers.set('Date', new Date(clock.now()).toUTCString())
      return response
    })
  }

  const unknownPath = toBun(pipeline.errorHandler(new ApiError('route_not_found')))
  /** The handler where Bun has none. An existing path answers 405 to methods that Bun does not know, too. */
  function fallbackFor({ method, url }: Request): Handler {
    if (knownMethods.includes(method)) return unknownPath
    const pathname = URL.parse(url)?.pathname ?? ''
    const found =
      refusals.find(({ path }) => path === pathname) ?? refusals.find(({ pattern }) => pattern.test(pathname))
    return found?.wrongMethod ?? unknownPath
  }

  return {
    routes: handlers,
    fetch: (request: Request, server: Server) => {
      const head = headOf(request)
      const page = isRead(request) && isHeadValid(head) ? missing(request) : undefined
      return page ? finish(head, page) : fallbackFor(request)(request, server)
    },
  }
}

const headOf = (request: Request) => ({ request, url: request.url, headers: headersOf(request) })
type Head = ReturnType<typeof headOf>

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Whether the head is small enough for a page; if not, the pipeline answers with the error. */
function isHeadValid(head: Head): boolean {
  try {
    checkHead(head)
    return true
  } catch {
    return false
  }
}

/** Groups the handlers by path. */
function groupByPath(routes: readonly Route[], handlerOf: (route: Route) => Handler): Map<string, ByMethod> {
  const paths = new Map<string, ByMethod>()
  for (const route of routes) {
    const { path, method } = route.operation
    const own = paths.getOrInsertComputed(path.replace(/\{(\w+)\}/g, ':$1'), (): ByMethod => ({}))
    const handler = handlerOf(route)
    own[method.toUpperCase()] = handler
    if (method === 'get') own.HEAD = handler
  }
  return paths
}

/** The pattern of a path in Bun's form, such as `/pets/:petId` or `/console/*`. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.*'
    return segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)
  })
  return new RegExp(`^${segments.join('/')}$`)
}

/** Serves metrics for Prometheus on a separate port that clients cannot reach. */
export function serveMetrics(host: string, port: number, metrics: { render(): string }): Listener {
  const headers = { 'Content-Type': 'text/plain; version=0.0.4' }
  const server = openPort({ host, port, setting: 'METRICS_PORT' }, () =>
    Bun.serve({ hostname: host, port, reusePort: false, fetch: () => new Response(metrics.render(), { headers }) }),
  )
  return { port: server.port ?? port, stop: () => server.stop(true) }
}

/** Opens a port, or throws an error that says why it could not and what to do. */
function openPort<T>({ host, port, setting }: { host: string; port: number; setting: string }, open: () => T): T {
  try {
    return open()
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'EADDRINUSE') {
      throw new Error(`Port ${port} is in use. Stop the program that uses it, or set ${setting} to another port.`)
    }
    throw new Error(`Cannot listen on ${host}, port ${port} (${message}). Set HOST and ${setting} to other values.`)
  }
}
