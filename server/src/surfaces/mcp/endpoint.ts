import { type Admission, setLimitHeaders } from '../../platform/access/admission.ts'
import type { Operation } from '../../platform/api/operation.ts'
import { exposedHeaders } from '../http/answer.ts'
import { Exchange, type PeerAddresses } from '../http/exchange.ts'
import { checkHead, leavesBodyUnread } from '../http/head.ts'
import type { Endpoint } from '../http/listener.ts'
import type { Call, Pipeline } from '../pipeline.ts'
import type { AgentDependencies, AgentServer, OpenCall } from './agent-server.ts'
import { createOriginCheck } from './check-origin.ts'
import { type Message, readMessage, refusedCode, rpcCodeOf } from './read-message.ts'

export const agentPath = '/mcp'

type Dependencies = Omit<AgentDependencies, 'pipeline' | 'description'> & {
  readonly pipeline: Pipeline
  readonly description: () => AgentDependencies['description']
}

/** A message that calls no operation: the handshake, a list, a guide, a prompt, or something malformed. */
class MessageExchange extends Exchange {
  /** Set if the body may not be read. */
  refused: Admission | undefined
  message: Message | undefined
  fault: unknown
}

/** Such messages cost no quota and work while the key is banned. */
const messageOperation = { id: 'mcp', meter: 'messages' } as Operation

/** The Model Context Protocol over HTTP: one message per request, nothing kept between requests, so any node answers. */
export function createAgentEndpoint({ pipeline, description, ...rest }: Dependencies): Endpoint {
  const checkOrigin = createOriginCheck(rest.baseUrl)
  const messageContext = pipeline.contextOf(messageOperation)
  const { gate } = messageContext

  const createMessageStages = (server: AgentServer) =>
    pipeline.connect<MessageExchange, Response, Response>({
      context: messageContext,
      enter: (exchange) => exchange.refused ?? gate.enter(exchange),
      work(exchange) {
        if (exchange.fault) throw exchange.fault
        return server.respond(exchange, exchange.message as Message)
      },
      answers: {
        outcome: withHeaders,
        refusal(exchange, error) {
          const explained = server.explain(error, exchange.requestId)
          const response = refuse(error.status, exchange.message?.id, rpcCodeOf(error), explained)
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
      exchange.refused = await gate.refuseUnread(exchange)
      const answer = exchange.refused ? undefined : await answerIfCall(server, exchange)
      if (answer) return answer
    } catch (error) {
      exchange.fault = error
    }
    // Also a call that the protocol refuses, which never reaches its operation.
    return runMessage(exchange)
  }

  /** Reads the message. Answers it if it calls an operation, which identifies, admits and counts the caller itself. */
  async function answerIfCall(server: AgentServer, exchange: MessageExchange) {
    const message = await readMessage(exchange)
    exchange.message = message
    const call = server.openCall(message, exchange)
    return call && answerCall(server, exchange, message, call)
  }

  async function answerCall(
    server: AgentServer,
    exchange: Exchange,
    message: Message,
    open: OpenCall,
  ): Promise<Response | undefined> {
    const response = await server.respond(exchange, message, open)
    if (!open.answer) return undefined
    const { status, error, headers } = open.answer
    const isUnauthenticated = open.call.admission?.key === undefined
    const answer = error && isUnauthenticated ? refuse(status, message.id, refusedCode, error) : response
    for (const name in headers) answer.headers.set(name, headers[name] as string)
    return withHeaders(open.call, answer)
  }

  return {
    path: agentPath,
    allow: 'POST',
    handle: (request, _params, peers) => handle(request, peers),
  }
}

/** A refusal as a JSON-RPC error that contains ours. */
function refuse(status: number, id: Message['id'], code: number, data: { readonly message: string }): Response {
  return Response.json({ jsonrpc: '2.0', id: id ?? null, error: { code, message: data.message, data } }, { status })
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
