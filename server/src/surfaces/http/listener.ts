import http from 'node:http'
import { ApiError, apiErrors } from '../../platform/api/errors.ts'
import type { Route } from '../../platform/api/operation.ts'
import { type Awaitable, after } from '../../platform/lib/awaitable.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { PathParams } from '../pipeline.ts'
import { checkHead, headersOf, leavesBodyUnread, type PeerAddresses, requestIdOf } from './request.ts'
import { type Http, preflightHeaders, type RequestHandler } from './response.ts'

// Bun's own header limit responds without a body, so it is set above ours, which responds with an Error object.
Object.assign(http, { maxHeaderSize: 64 * 1024 })

interface Listener {
  readonly port: number
  /** Accepts no new connections, lets running requests finish, then closes the rest. */
  stop(): Promise<void>
}

/** Serves operations and pages at an address; `replace` swaps them. */
export type Listen = (host: string, port: number, served: Served) => Listener & { replace(served: Served): void }

type Server = Bun.Server<undefined>
type BunRequest = Request & { readonly params: PathParams }

const idleTimeoutSeconds = 60
const stopTimeoutMs = 10_000

/** Opens a port for one service. This is the only file that uses `Bun.serve`. */
export const listen: Listen = (host, port, served) => {
  let stopping = false
  const optionsFor = (served: Served) => routesOf(handlersOf(served, () => stopping))
  const server = openServer(host, port, optionsFor(served))
  return {
    port: server.port ?? port,
    replace: (served) => void server.reload({ ...common, ...optionsFor(served) }),
    async stop() {
      stopping = true
      await stopServer(server)
    },
  }
}

/** The handlers in Bun's form. */
const routesOf = ({ byPath, fallback }: Handlers) => ({
  routes: Object.fromEntries(
    Object.entries(byPath).map(([path, byMethod]) => [
      path,
      Object.fromEntries(
        Object.entries(byMethod).map(([method, handle]) => [
          method,
          (request: BunRequest, server: Server) => handle(request, request.params, server),
        ]),
      ),
    ]),
  ),
  fetch: (request: Request, server: Server) => fallback(request, pathOf(request), server),
})

/** Several services on one port, each under `/s/{id}`, and the handlers of their host beside them. */
interface SharedListener extends Listener {
  /** Makes sure that these paths of a service have routes. Services of one program all have the same paths. */
  addPaths(paths: readonly string[]): void
}

interface SharedOptions {
  /** The handlers of the service with this id. */
  readonly find: (id: string) => Awaitable<Handlers>
  readonly host: Handlers
}

const below = '/s/:mountId'

/** Opens a port for many services. Bun's router finds the path, and a map finds the service: there is no second hop. */
export function listenForMany(host: string, port: number, { find, host: own }: SharedOptions): SharedListener {
  const { routes, fetch } = routesOf(own)
  const paths = new Set<string>()

  /** The route of a path that every service has. */
  const routeFor = (path: string) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
    return (request: BunRequest, server: Server) => {
      const given = request.params
      const params: Record<string, string> = {}
      for (const name of names) params[name] = given[name] as string
      const found = find(given.mountId as string)
      const response = ({ byPath, fallback }: Handlers) => {
        const handle = byPath[path]?.[request.method]
        return handle ? handle(request, params, server) : fallback(request, path, server)
      }
      return found instanceof Promise ? found.then(response) : response(found)
    }
  }

  function options() {
    const mounted: Record<string, ReturnType<typeof routeFor>> = {}
    for (const path of paths) {
      mounted[below + path] = routeFor(path)
      if (path === '/') mounted[below] = routeFor(path)
    }
    return {
      // The host's own routes win.
      routes: { ...mounted, ...routes },
      fetch(request: Request, server: Server) {
        const [, id, path] = /^\/s\/([^/]+)(.*)$/s.exec(pathOf(request)) ?? []
        if (id === undefined) return fetch(request, server)
        return after(find(id), ({ fallback }) => fallback(request, path || '/', server))
      },
    }
  }

  const server = openServer(host, port, options())
  return {
    port: server.port ?? port,
    addPaths(added) {
      const before = paths.size
      for (const path of added) paths.add(path)
      if (paths.size > before) server.reload({ ...common, ...options() })
    },
    stop: () => stopServer(server),
  }
}

/** Without a valid `Host` header, the URL is only a path. */
function pathOf({ url }: Request): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  return url.slice(start).split('?', 1)[0] as string
}

const common = {
  // The pipeline limits the size of bodies, so that its rejection can say why.
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  idleTimeout: idleTimeoutSeconds,
  development: false,
} as const

const openServer = (
  host: string,
  port: number,
  options: Pick<Bun.Serve.Options<undefined>, 'routes' | 'fetch'>,
): Server =>
  openPort({ host, port, setting: 'PORT' }, () =>
    // Bun shares the port between processes by default: a second service would get half of the requests.
    Bun.serve({ ...common, ...options, hostname: host, port, reusePort: false } as Bun.Serve.Options<undefined>),
  )

async function stopServer(server: Server): Promise<void> {
  const forced = setTimeout(() => void server.stop(true), stopTimeoutMs)
  await server.stop()
  clearTimeout(forced)
}

/** Serves metrics for Prometheus, at `/metrics` of a separate port that clients cannot reach. */
export function serveMetrics(host: string, port: number, metrics: { render(): Promise<string> }): Listener {
  const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }
  const routes = { '/metrics': async () => new Response(await metrics.render(), { headers }) }
  // A health check that is sent here by mistake must not pass.
  const fetch = () => new Response('Metrics are at /metrics.\n', { status: 404 })
  const server = openPort({ host, port, setting: 'METRICS_PORT' }, () =>
    Bun.serve({ hostname: host, port, reusePort: false, routes, fetch }),
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

/** Something served without metering: a page, the description, a health check. */
export interface WebPage {
  readonly path: string
  readonly get: (request: Request) => Response | Promise<Response>
}

/** A path that another protocol uses. Its handler gets every method but handles only those allowed. */
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
  readonly missing: (request: Request, path: string) => Response | undefined
  readonly http: Pick<Http, 'operationHandler' | 'errorHandler' | 'preflightHandler'>
  readonly clock: Pick<Clock, 'now'>
}

/** Handles a request for a known path. */
export type Handler = (request: Request, params: PathParams, peers: PeerAddresses) => Response | Promise<Response>
export type ByMethod = Readonly<Record<string, Handler>>

/** The handlers of a service. */
export interface Handlers {
  /** By path, such as `/keys/:keyId` or `/console/*`. */
  readonly byPath: Readonly<Record<string, ByMethod>>
  /** Handles everything else. `path`: where the request goes, under the service's address. */
  readonly fallback: (request: Request, path: string, peers: PeerAddresses) => Response | Promise<Response>
}

/** Methods that have handlers. A request with another method goes to the fallback. */
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The handlers of everything served. */
export function handlersOf(
  { routes, endpoints, pages, missing, http: { operationHandler, errorHandler, preflightHandler }, clock }: Served,
  isStopping: () => boolean,
): Handlers {
  const byPath: Record<string, ByMethod> = {}
  const rejections: { readonly path: string; readonly pattern: RegExp; readonly wrongMethod: Handler }[] = []

  for (const [path, own] of groupByPath(routes, (route) => completed(operationHandler(route)))) serve(path, own)
  for (const { path, allow, handle } of endpoints) {
    const methods = knownMethods.filter((method) => method !== 'OPTIONS')
    serve(path, Object.fromEntries(methods.map((method) => [method, completed(handle)])), `${allow}, OPTIONS`)
  }
  for (const { path, get } of pages) {
    const page: Handler = async (request, params, peers) => {
      const head = headOf(request)
      try {
        checkHead(head)
        return finish(head, await get(request))
      } catch (error) {
        // Responded to, logged and metered like a failure of an operation.
        return completed(errorHandler(error))(request, params, peers)
      }
    }
    serve(path, { GET: page, HEAD: page })
  }

  /** Registers the handlers of a path, and its responses to all other methods. */
  function serve(path: string, own: ByMethod, allow = [...Object.keys(own), 'OPTIONS'].join(', ')): void {
    const preflight = completed(preflightHandler(preflightHeaders(allow)))
    const wrongMethod = completed(
      errorHandler(new ApiError(apiErrors.method_not_allowed, undefined, { headers: { Allow: allow } })),
    )
    const others = Object.fromEntries(knownMethods.map((method) => [method, wrongMethod]))
    byPath[path] = { ...others, OPTIONS: preflight, ...own }
    rejections.push({ path, pattern: patternOf(path), wrongMethod })
  }

  function completed(handle: RequestHandler): Handler {
    return (request, params, peers) => complete(request, handle(request, params, peers))
  }

  /** Completes a response that did not go through the pipeline. */
  function finish(head: Head, response: Response): Response | Promise<Response> {
    response.headers.set('X-Request-Id', requestIdOf(head.headers))
    if (leavesBodyUnread(head)) response.headers.set('Connection', 'close')
    return complete(head.request, response)
  }

  function complete({ method }: Request, response: Response | Promise<Response>): Response | Promise<Response> {
    return after(response, (response) => {
      // An open connection would delay the stop, so responses sent while stopping close theirs.
      if (isStopping()) response.headers.set('Connection', 'close')
      // Bun adds `Date` to all other responses.
      if (method === 'HEAD') response.headers.set('Date', new Date(clock.now()).toUTCString())
      return response
    })
  }

  const unknownPath = completed(errorHandler(new ApiError(apiErrors.route_not_found)))
  /** The handler for requests that no path and method match. An existing path returns 405 to unknown methods, too. */
  function fallbackFor({ method }: Request, path: string): Handler {
    if (knownMethods.includes(method)) return unknownPath
    const found =
      rejections.find((known) => known.path === path) ?? rejections.find(({ pattern }) => pattern.test(path))
    return found?.wrongMethod ?? unknownPath
  }

  return {
    byPath,
    fallback(request, path, peers) {
      const head = headOf(request)
      const page = isRead(request) && isHeadValid(head) ? missing(request, path) : undefined
      return page ? finish(head, page) : fallbackFor(request, path)(request, {}, peers)
    },
  }
}

const headOf = (request: Request) => ({ request, url: request.url, headers: headersOf(request) })
type Head = ReturnType<typeof headOf>

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** Whether the head is small enough for a page; if not, the pipeline responds with the error. */
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
  const paths = new Map<string, Record<string, Handler>>()
  for (const route of routes) {
    const { path, method } = route.operation
    const own = paths.getOrInsertComputed(path.replace(/\{(\w+)\}/g, ':$1'), (): Record<string, Handler> => ({}))
    const handler = handlerOf(route)
    own[method.toUpperCase()] = handler
    if (method === 'get') own.HEAD = handler
  }
  return paths
}

/** The pattern of a path such as `/keys/:keyId` or `/console/*`. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.*'
    return segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)
  })
  return new RegExp(`^${segments.join('/')}$`)
}
