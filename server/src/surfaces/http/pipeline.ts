import type { Gate } from '../../platform/access/admission.ts'
import { setLimitHeaders } from '../../platform/access/headers.ts'
import { ApiError, apiErrors } from '../../platform/api/errors.ts'
import type { Outcome } from '../../platform/api/idempotency.ts'
import type { Invoke } from '../../platform/api/invoke.ts'
import type { Operation, Route } from '../../platform/api/operation.ts'
import { traitsOf } from '../../platform/api/traits.ts'
import { type Awaitable, after } from '../../platform/lib/awaitable.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Random } from '../../platform/lib/random.ts'
import type { RequestLog } from '../../platform/telemetry/request-log.ts'
import type { Tracer } from '../../platform/telemetry/traces/tracer.ts'
import { createAnswers } from './answer.ts'
import { Exchange, type ExchangeContext, type PathParams, type PeerAddresses } from './exchange.ts'
import { acceptsAnswer, checkHead, leavesBodyUnread } from './head.ts'
import { createStages, type Stages } from './stages.ts'

interface Dependencies {
  readonly clock: Clock
  readonly random: Random
  readonly gate: Gate
  readonly addressOf: ExchangeContext['addressOf']
  readonly invoke: (route: Route) => Invoke
  readonly baseUrl: string
  readonly requestLog: RequestLog
  readonly tracer: Tracer | undefined
  /** Called with every exchange and its response, and may replace the response. */
  readonly observe?: Observe | undefined
}

export type Observe = (exchange: Exchange, response: Response) => Awaitable<Response>

/** Answers a request as the listener hands it over. */
export type RequestHandler = (request: Request, params: PathParams, peers: PeerAddresses) => Awaitable<Response>

/** The pipeline that every HTTP request goes through: the stages, with requests in and responses out. */
export function createPipeline(dependencies: Dependencies) {
  const { clock, random, gate, addressOf, invoke, baseUrl, requestLog, tracer, observe } = dependencies
  const runStages = createStages({ clock, gate, requestLog, tracer })
  const contextOf = (operation: Operation | undefined, bodyTypes: readonly string[] = []): ExchangeContext => ({
    operation,
    bodyTypes,
    gate,
    clock,
    random,
    addressOf,
  })

  function createHandler(stages: Omit<Stages<Exchange, Outcome, Response>, 'answers'>): RequestHandler {
    const { context } = stages
    const run = runStages({ ...stages, answers: createAnswers(context.operation, baseUrl) })
    return (request, params, peers) => {
      const exchange = new Exchange(request, params, peers, context)
      return after(run(exchange), (response) => {
        if (leavesBodyUnread(exchange, exchange.isWorkDiscarded)) response.headers.set('Connection', 'close')
        return observe ? observe(exchange, response) : response
      })
    }
  }

  return {
    /** Answers requests for an operation. */
    operationHandler(route: Route): RequestHandler {
      const { operation } = route
      const call = invoke(route)
      const type = answerType(operation)
      return createHandler({
        context: contextOf(operation, traitsOf(operation).bodyTypes),
        enter: gate.enter,
        work(exchange) {
          checkHead(exchange)
          if (!acceptsAnswer(exchange.headers.accept, type)) throw notAcceptable(type)
          return call(exchange)
        },
        canStartEarly: canStartEarly(operation),
      })
    },
    /** For another protocol, with its own exchange and answers: calls operations, and does work that is not an operation. */
    runStages,
    contextOf,
    stagesOf: (route: Route) => ({
      context: contextOf(route.operation),
      enter: gate.enter,
      work: invoke(route),
      canStartEarly: canStartEarly(route.operation),
    }),
    /** Answers preflights. They need no key and are not counted, but show what is left. */
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
    /** Answers with an error where there is no operation. The call is identified, metered and logged like any other. */
    errorHandler: (error: unknown): RequestHandler =>
      createHandler({
        context: contextOf(undefined),
        enter: gate.enter,
        work(exchange) {
          checkHead(exchange)
          throw error
        },
      }),
    /** Refuses every request without identifying or metering the caller. */
    refusalHandler: (refusal: ApiError): RequestHandler =>
      createHandler({
        context: contextOf(undefined),
        enter: (exchange) => gate.refuse(exchange, refusal),
        work() {
          throw refusal
        },
      }),
  }
}

export type Pipeline = ReturnType<typeof createPipeline>

/** The media type an operation answers with. */
const answerType = ({ answers }: Operation): string =>
  Object.values(answers).find(({ type }) => type !== undefined)?.type ?? 'application/json'

const notAcceptable = (type: string) =>
  new ApiError(apiErrors.not_acceptable, `The response exists only as ${type}, which the \`Accept\` header excludes.`)

/** Where a call may cost more than one request, the price is known only after its body is read. A refused stream must not open. */
const canStartEarly = (operation: Operation): boolean =>
  operation.costs === undefined && !traitsOf(operation).takesLastEventId
