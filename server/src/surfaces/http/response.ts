import { type Gate, setLimitHeaders } from '../../platform/access/admission.ts'
import { deprecationHeaders, deprecationLink } from '../../platform/api/deprecation.ts'
import { ApiError, apiErrors } from '../../platform/api/errors.ts'
import { etagOf, isNotModified } from '../../platform/api/etag.ts'
import type { Outcome } from '../../platform/api/idempotency.ts'
import { type Operation, type Route, withoutSecret } from '../../platform/api/operation.ts'
import { pathTemplate } from '../../platform/api/path-template.ts'
import { traitsOf } from '../../platform/api/traits.ts'
import { type Awaitable, after } from '../../platform/lib/awaitable.ts'
import type { PathParams, Pipeline, Stages } from '../pipeline.ts'
import {
  acceptsResponse,
  checkHead,
  Exchange,
  isPlain,
  leavesBodyUnread,
  type PeerAddresses,
  prefersProblem,
  queryText,
} from './request.ts'

interface Dependencies {
  readonly pipeline: Pipeline
  readonly gate: Gate
  readonly baseUrl: string
  readonly observe?: Observe | undefined
}

/** What sees the exchanges of a service. */
export interface Observe {
  /** Called with an exchange that has to wait for its response. */
  waits(exchange: Exchange): void
  /** Called with every exchange and its response, and may replace the response. */
  responds(exchange: Exchange, response: Response): Awaitable<Response>
}

/** Handles a request from the listener. */
export type RequestHandler = (request: Request, params: PathParams, peers: PeerAddresses) => Awaitable<Response>

/** How requests go through the pipeline. */
export function createHttp({ pipeline, gate, baseUrl, observe }: Dependencies) {
  const { connect, contextOf, stagesOf } = pipeline

  function createHandler(
    stages: Omit<Stages<Exchange, Outcome, Response>, 'responses'>,
    bodyTypes?: readonly string[],
  ): RequestHandler {
    const { context } = stages
    const run = connect({ ...stages, responses: createResponses(context.operation, baseUrl) })
    return (request, params, peers) => {
      const exchange = new Exchange(request, params, peers, context, bodyTypes)
      const running = run(exchange)
      if (running instanceof Promise) observe?.waits(exchange)
      return after(running, (response) => {
        if (leavesBodyUnread(exchange, exchange.isWorkDiscarded)) response.headers.set('Connection', 'close')
        return observe ? observe.responds(exchange, response) : response
      })
    }
  }

  return {
    /** Handles requests for an operation. */
    operationHandler(route: Route): RequestHandler {
      const { operation } = route
      const { work: call, ...stages } = stagesOf(route)
      const type = responseType(operation)
      const work = (exchange: Exchange) => {
        checkHead(exchange)
        if (!acceptsResponse(exchange.headers.accept, type)) throw notAcceptable(type)
        return call(exchange)
      }
      return createHandler({ ...stages, work }, traitsOf(operation).bodyTypes)
    },
    /** Handles preflights. They need no key and are not counted, but show the remaining requests. */
    preflightHandler(allowed: Record<string, string>): RequestHandler {
      const context = contextOf(undefined)
      return async (request, params, peers) => {
        const exchange = new Exchange(request, params, peers, context)
        const response = new Response(null, { status: 204, headers: allowed })
        response.headers.set('X-Request-Id', exchange.requestId)
        setLimitHeaders(response.headers, await gate.readWindows(exchange))
        return response
      }
    },
    /** Responds with an error where there is no operation. The call is identified, metered and logged like any other. */
    errorHandler: (error: unknown): RequestHandler =>
      createHandler({
        context: contextOf(undefined),
        enter: gate.enter,
        work(exchange) {
          checkHead(exchange)
          throw error
        },
      }),
    /** Rejects every request without identifying or metering the caller. */
    rejectionHandler: (rejection: ApiError): RequestHandler =>
      createHandler({
        context: contextOf(undefined),
        enter: (exchange) => gate.reject(exchange, rejection),
        work() {
          throw rejection
        },
      }),
  }
}

export type Http = ReturnType<typeof createHttp>

/** The parameters that say where a page starts: a link has one of them. */
const positions = new Set(['cursor', 'after'])

/** The media type an operation responds with. */
const responseType = ({ responses }: Operation): string =>
  Object.values(responses).find(({ type }) => type !== undefined)?.type ?? 'application/json'

const notAcceptable = (type: string) =>
  new ApiError(apiErrors.not_acceptable, `The response exists only as ${type}, which the \`Accept\` header excludes.`)

/** Creates the responses of an operation, or of an unknown path. Their common headers are built once. */
function createResponses(operation: Operation | undefined, baseUrl: string) {
  const common = commonHeaders(operation)
  const withoutBody = new Headers(common)
  withoutBody.delete('Content-Type')
  const pathOf = pathTemplate(operation?.path ?? '')
  const linkOf = operation?.deprecation && deprecationLink(operation.deprecation, baseUrl)

  /** A response with the common headers. Setting them one by one takes half as long as passing an object. */
  function respond(exchange: Exchange, status: number, body: string | ReadableStream<Uint8Array> | null): Response {
    const { requestId, admission, params } = exchange
    if (typeof body === 'string') exchange.responseText = body
    const response = new Response(body, { status, headers: body === null ? withoutBody : common })
    const { headers } = response
    headers.set('X-Request-Id', requestId)
    if (admission) setLimitHeaders(headers, admission)
    if (linkOf) headers.set('Link', linkOf(params))
    return response
  }

  /** A link to the same list, continued from `value`. */
  function linkTo(rel: string, { url, params }: Exchange, parameter: string, value: string): string {
    const text = queryText(url)
    const list = `<${baseUrl}${pathOf(params)}?`
    if (isPlain(text) && isPlain(value)) {
      const isOther = (pair: string) => pair !== '' && !positions.has(pair.split('=', 1)[0] ?? '')
      return `${list}${[...text.split('&').filter(isOther), `${parameter}=${value}`].join('&')}>; rel="${rel}"`
    }
    const query = new URLSearchParams(text)
    for (const name of positions) query.delete(name)
    query.set(parameter, value)
    return `${list}${query}>; rel="${rel}"`
  }

  function reply(
    exchange: Exchange,
    { status, body, location, nextCursor, monitorAfter, replayed }: Exclude<Outcome, { error: ApiError }>,
  ): Response {
    const type = operation?.responses[status]?.type
    const text = body === undefined || type !== undefined ? null : JSON.stringify(body)
    const etag = text === null ? undefined : operation && tagOf(operation, body, text)
    const isRead = operation?.method === 'get'
    const isKnown = status === 304 || (etag !== undefined && isRead && isNotModified(exchange.ifNoneMatch, etag))
    const response = isKnown
      ? respond(exchange, 304, null)
      : respond(exchange, status, type === undefined ? text : streamFor(exchange, body))
    const { headers } = response
    if (type !== undefined) headers.set('Content-Type', type)
    if (etag !== undefined) headers.set('ETag', etag)
    if (operation?.stability) headers.set('X-Stability', operation.stability.level)
    if (replayed) headers.set('Idempotent-Replayed', 'true')
    if (location !== undefined) headers.set('Location', baseUrl + location)
    if (nextCursor !== undefined) headers.set('Link', linkTo('next', exchange, 'cursor', nextCursor))
    if (monitorAfter !== undefined) headers.set('Link', linkTo('monitor', exchange, 'after', monitorAfter))
    return response
  }

  /** A HEAD request for a stream opens none. */
  function streamFor({ request }: Exchange, body: unknown): ReadableStream<Uint8Array> | null {
    const stream = body as ReadableStream<Uint8Array>
    if (request.method !== 'HEAD') return stream
    void stream.cancel()
    return null
  }

  function rejection(exchange: Exchange, { code, message, status, more }: ApiError): Response {
    const { requestId } = exchange
    const docs = `${baseUrl}/errors#${code}`
    const errors = more.faults && { errors: more.faults }
    const isProblem = prefersProblem(exchange.headers.accept)
    const problem = isProblem && { type: docs, title: code.replaceAll('_', ' '), detail: message }
    const body = { ...problem, code, message, status, requestId, docs, ...errors }
    const response = respond(exchange, status, JSON.stringify(body))
    if (isProblem) response.headers.set('Content-Type', 'application/problem+json')
    for (const name in more.headers) response.headers.set(name, more.headers[name] as string)
    return response
  }

  return {
    outcome: (exchange: Exchange, outcome: Outcome): Response =>
      'error' in outcome ? rejection(exchange, outcome.error) : reply(exchange, outcome),
    rejection,
  }
}

/** The ETag of a response, if it has one. `text`: the body as JSON. */
export function tagOf({ etag, secretField }: Operation, body: unknown, text: string): string | undefined {
  if (!etag) return undefined
  const resource = withoutSecret(body, secretField)
  return etagOf(resource, etag, resource === body ? text : undefined)
}

function commonHeaders(operation: Operation | undefined): Headers {
  return new Headers({
    'Cache-Control': operation?.secretField ? 'no-store' : 'private, no-cache',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposedHeaders,
    'Content-Type': 'application/json',
    ...(operation?.deprecation && deprecationHeaders(operation.deprecation)),
  })
}

/** Headers that scripts on other origins may read: every one that the API defines. */
export const exposedHeaders = [
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Stability',
].join(', ')

const acceptedHeaders =
  'X-API-Key, Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Prefer, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name'

/** The headers of the response to OPTIONS. */
export const preflightHeaders = (methods: string): Record<string, string> => ({
  Allow: methods,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': acceptedHeaders,
  'Access-Control-Expose-Headers': exposedHeaders,
  'Access-Control-Max-Age': '86400',
})
