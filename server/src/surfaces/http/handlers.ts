import { ApiError, apiErrors } from '../../platform/api/errors.ts'
import type { Route } from '../../platform/api/operation.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { preflightHeaders } from './cors.ts'
import type { PathParams, PeerAddresses } from './exchange.ts'
import { checkHead, headersOf, leavesBodyUnread, requestIdOf } from './head.ts'
import type { Pipeline, RequestHandler } from './pipeline.ts'

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
  readonly missing: (request: Request, path: string) => Response | undefined
  readonly pipeline: Pick<Pipeline, 'operationHandler' | 'errorHandler' | 'preflightHandler'>
  readonly clock: Pick<Clock, 'now'>
}

/** Answers a request for a known path. */
export type Handler = (request: Request, params: PathParams, peers: PeerAddresses) => Response | Promise<Response>
export type ByMethod = Readonly<Record<string, Handler>>

/** The handlers of a service. */
export interface Handlers {
  /** By path, such as `/keys/:keyId` or `/console/*`. */
  readonly byPath: Readonly<Record<string, ByMethod>>
  /** Answers everything else. `path`: where the request goes, below the service's address. */
  readonly fallback: (request: Request, path: string, peers: PeerAddresses) => Response | Promise<Response>
}

/** Methods that have handlers. A request with another method goes to the fallback. */
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The handlers of everything served. */
export function handlersOf(
  { routes, endpoints, pages, missing, pipeline, clock }: Served,
  isStopping: () => boolean,
): Handlers {
  const byPath: Record<string, ByMethod> = {}
  const refusals: { readonly path: string; readonly pattern: RegExp; readonly wrongMethod: Handler }[] = []

  for (const [path, own] of groupByPath(routes, (route) => completed(pipeline.operationHandler(route))))
    serve(path, own)
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
        // Answered, logged and metered like a failure of an operation.
        return completed(pipeline.errorHandler(error))(request, params, peers)
      }
    }
    serve(path, { GET: page, HEAD: page })
  }

  /** Registers the handlers of a path, and its answers to all other methods. */
  function serve(path: string, own: ByMethod, allow = [...Object.keys(own), 'OPTIONS'].join(', ')): void {
    const preflight = completed(pipeline.preflightHandler(preflightHeaders(allow)))
    const wrongMethod = completed(
      pipeline.errorHandler(new ApiError(apiErrors.method_not_allowed, undefined, { headers: { Allow: allow } })),
    )
    const others = Object.fromEntries(knownMethods.map((method) => [method, wrongMethod]))
    byPath[path] = { ...others, OPTIONS: preflight, ...own }
    refusals.push({ path, pattern: patternOf(path), wrongMethod })
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

  const unknownPath = completed(pipeline.errorHandler(new ApiError(apiErrors.route_not_found)))
  /** The handler where there is none by path and method. An existing path answers 405 to unknown methods, too. */
  function fallbackFor({ method }: Request, path: string): Handler {
    if (knownMethods.includes(method)) return unknownPath
    const found = refusals.find((known) => known.path === path) ?? refusals.find(({ pattern }) => pattern.test(path))
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
