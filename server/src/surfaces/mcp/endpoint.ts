import { type Admission, setLimitHeaders } from '../../platform/access/admission.ts'
import { ApiError, apiErrors } from '../../platform/api/errors.ts'
import type { Operation } from '../../platform/api/operation.ts'
import type { Endpoint } from '../http/listener.ts'
import { checkHead, Exchange, leavesBodyUnread, type PeerAddresses } from '../http/request.ts'
import { exposedHeaders } from '../http/response.ts'
import type { Call, Pipeline } from '../pipeline.ts'
import type { AgentDependencies, AgentServer, OpenCall } from './agent-server.ts'
import { type Message, readMessage, rejectedCode, rpcCodeOf } from './read-message.ts'

export const agentPath = '/mcp'

type Dependencies = Omit<AgentDependencies, 'pipeline' | 'description'> & {
  readonly pipeline: Pipeline
  readonly description: () => AgentDependencies['description']
}

/** A message that calls no operation: the handshake, a list, a guide, a prompt, or something malformed. */
class MessageExchange extends Exchange {
  /** Set if the body may not be read. */
  rejected: Admission | undefined
  message: Message | undefined
  fault: unknown
}

/** Such messages cost no quota and work while the key is banned. */
const messageOperation = { id: 'mcp', meter: 'messages' } as Operation

/** The Model Context Protocol over HTTP: one message per request, nothing kept between requests, so any node can respond. */
export function createAgentEndpoint({ pipeline, description, ...rest }: Dependencies): Endpoint {
  const checkOrigin = createOriginCheck(rest.baseUrl)
  const messageContext = pipeline.contextOf(messageOperation)
  const { gate } = messageContext

  const createMessageStages = (server: AgentServer) =>
    pipeline.connect<MessageExchange, Response, Response>({
      context: messageContext,
      enter: (exchange) => exchange.rejected ?? gate.enter(exchange),
      work(exchange) {
        if (exchange.fault) throw exchange.fault
        return server.respond(exchange, exchange.message as Message)
      },
      responses: {
        outcome: withHeaders,
        rejection(exchange, error) {
          const explained = server.explain(error, exchange.requestId)
          const response = reject(error.status, exchange.message?.id, rpcCodeOf(error), explained)
          for (const [name, value] of Object.entries(error.more.headers ?? {})) response.headers.set(name, value)
          if (leavesBodyUnread(exchange)) response.headers.set('Connection', 'close')
          return withHeaders(exchange, response)
        },
      },
    })

  let loading: Promise<{ server: AgentServer; runMessage: ReturnType<typeof createMessageStages> }> | undefined
  // Loaded by the first call: a service without agents does not pay for the package.
  const load = () => {
    loading ??= import('./agent-server.ts').then(({ createAgentServer }) => {
      const server = createAgentServer({ ...rest, pipeline, description: description() })
      return { server, runMessage: createMessageStages(server) }
    })
    return loading
  }

  async function handle(request: Request, peers: PeerAddresses): Promise<Response> {
    const { server, runMessage } = await load()
    const exchange = new MessageExchange(request, {}, peers, messageContext)
    try {
      checkHead(exchange)
      checkOrigin(exchange.headers.origin)
      exchange.rejected = await gate.rejectUnread(exchange)
      const response = exchange.rejected ? undefined : await responseIfCall(server, exchange)
      if (response) return response
    } catch (error) {
      exchange.fault = error
    }
    // This includes a call that the protocol rejects, which never reaches its operation.
    return runMessage(exchange)
  }

  /** Reads the message. Handles it if it calls an operation, which identifies, admits and counts the caller itself. */
  async function responseIfCall(server: AgentServer, exchange: MessageExchange) {
    const message = await readMessage(exchange)
    exchange.message = message
    const call = server.openCall(message, exchange)
    return call && respondToCall(server, exchange, message, call)
  }

  async function respondToCall(
    server: AgentServer,
    exchange: Exchange,
    message: Message,
    open: OpenCall,
  ): Promise<Response | undefined> {
    const byProtocol = await server.respond(exchange, message, open)
    if (!open.response) return undefined
    const { status, error, headers } = open.response
    const isUnauthenticated = open.call.admission?.key === undefined
    const response = error && isUnauthenticated ? reject(status, message.id, rejectedCode, error) : byProtocol
    for (const name in headers) response.headers.set(name, headers[name] as string)
    return withHeaders(open.call, response)
  }

  return {
    path: agentPath,
    allow: 'POST',
    handle: (request, _params, peers) => handle(request, peers),
  }
}

/** A rejection as a JSON-RPC error that contains ours. An id that cannot be repeated exactly becomes null. */
function reject(status: number, id: Message['id'], code: number, data: { readonly message: string }): Response {
  const known = typeof id === 'string' || Number.isFinite(id) ? id : null
  return Response.json({ jsonrpc: '2.0', id: known, error: { code, message: data.message, data } }, { status })
}

function withHeaders({ requestId, admission }: Call, response: Response): Response {
  const { headers } = response
  headers.set('X-Request-Id', requestId)
  headers.set('Cache-Control', 'no-store')
  headers.set('Access-Control-Allow-Origin', '*')
  headers.set('Access-Control-Expose-Headers', exposedHeaders)
  if (admission) setLimitHeaders(headers, admission)
  return response
}

/**
 * Returns a function that throws if a page of another website sent the request. The protocol asks for this, so that no website can
 * reach a service on the visitor's computer by pointing its own name at it. Programs send no `Origin`.
 */
function createOriginCheck(baseUrl: string): (origin: string | undefined) => void {
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
