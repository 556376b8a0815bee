import http from 'node:http'
import { type Awaitable, after } from '../../platform/lib/awaitable.ts'
import type { PathParams } from './exchange.ts'
import { type Handlers, handlersOf, type Served } from './handlers.ts'

// Bun's header limit answers without a body, so it is set above ours, which answers with an Error object.
Object.assign(http, { maxHeaderSize: 64 * 1024 })

export interface Listener {
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

/** Several services on one port, each below `/s/{id}`, and the handlers of their host beside them. */
export interface SharedListener extends Listener {
  /** Makes sure that these paths of a service have routes. Services of one program all have the same paths. */
  addPaths(paths: readonly string[]): void
}

interface SharedOptions {
  /** The handlers of the service with this id. */
  readonly find: (id: string) => Awaitable<Handlers>
  readonly host: Handlers
}

const below = '/s/:mountId'

/** Opens a port for many services. Bun's router finds the path, and a map the service: there is no second hop. */
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
      const answer = ({ byPath, fallback }: Handlers) => {
        const handle = byPath[path]?.[request.method]
        return handle ? handle(request, params, server) : fallback(request, path, server)
      }
      return found instanceof Promise ? found.then(answer) : answer(found)
    }
  }

  function options() {
    const mounted: Record<string, ReturnType<typeof routeFor>> = {}
    for (const path of paths) {
      mounted[below + path] = routeFor(path)
      if (path === '/') mounted[below] = routeFor(path)
    }
    return {
      // Those of the host win.
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
  // The pipeline limits the size of bodies, so that its refusal can say why.
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
