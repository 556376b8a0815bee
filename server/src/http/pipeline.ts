import type { Admission, Gate, PendingAdmission } from '../access/admission.ts'
import { setLimitHeaders } from '../access/headers.ts'
import { ApiError } from '../api/errors.ts'
import type { Outcome } from '../api/idempotency.ts'
import type { Invoke } from '../api/invoke.ts'
import type { Operation, Route } from '../api/operation.ts'
import { traitsOf } from '../api/traits.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import type { RequestLog } from '../telemetry/request-log.ts'
import { createAnswers } from './answer.ts'
import { Exchange, type ExchangeContext, type PathParams, type PeerAddresses } from './exchange.ts'
import { checkHead, leavesBodyUnread } from './head.ts'
import { acceptsAnswer } from './negotiate.ts'

interface Dependencies {
  readonly clock: Clock
  readonly gate: Gate
  readonly addressOf: ExchangeContext['addressOf']
  readonly invoke: (route: Route) => Invoke
  readonly baseUrl: string
  readonly requestLog: RequestLog
}

/** Answers a request as the listener hands it over. */
export type RequestHandler = (request: Request, params: PathParams, peers: PeerAddresses) => Awaitable<Response>

interface Stages {
  readonly context: ExchangeContext
  /** Identifies and admits the caller. */
  readonly enter: (exchange: Exchange) => Awaitable<Admission | PendingAdmission>
  readonly work: (exchange: Exchange) => Awaitable<Outcome>
  /** Whether `work` may start before the gate has decided, when it expects to admit the call. */
  readonly canStartEarly?: boolean
}

/** The pipeline that every request goes through: identify, admit, run, answer. It awaits only where it must: a promise costs more than a read. */
export function createPipeline({ clock, gate, addressOf, invoke, baseUrl, requestLog }: Dependencies) {
  const contextOf = (operation: Operation | undefined, bodyTypes: readonly string[] = []): ExchangeContext => ({
    operation,
    bodyTypes,
    gate,
    clock,
    addressOf,
  })

  function createHandler({ context, enter, work, canStartEarly = false }: Stages): RequestHandler {
    const { operation } = context
    const operationId = operation?.id ?? 'none'
    const answers = createAnswers(operation, baseUrl)
    const logRequest = requestLog.forOperation(operationId)

    const answerError = (exchange: Exchange, error: unknown): Response =>
      answers.refusal(exchange, requestLog.toApiError(error, exchange.requestId))

    /** The synchronous path: a SQLite read never awaits. */
    function handle(exchange: Exchange): Awaitable<Response> {
      let response: Response
      try {
        const entered = enter(exchange)
        if (entered instanceof Promise || 'decision' in entered)
          return answerLater(exchange, runLater(exchange, entered))
        exchange.admit(entered)
        const outcome = work(exchange)
        if (outcome instanceof Promise) return answerLater(exchange, outcome)
        response = answers.outcome(exchange, outcome)
      } catch (error) {
        response = answerError(exchange, error)
      }
      // Answered in the same tick, so the arrival time is also the finish time.
      return finish(exchange, response, exchange.now)
    }

    async function answerLater(exchange: Exchange, outcome: Promise<Outcome>): Promise<Response> {
      let response: Response
      try {
        response = answers.outcome(exchange, await outcome)
      } catch (error) {
        response = answerError(exchange, error)
      }
      return finish(exchange, response, clock.now())
    }

    /** Waits for the gate, then runs the work, or takes the result of work that was started early. */
    async function runLater(
      exchange: Exchange,
      entered: PendingAdmission | Promise<Admission | PendingAdmission>,
    ): Promise<Outcome> {
      const known = entered instanceof Promise ? await entered : entered
      let early: Promise<Outcome> | undefined
      if ('decision' in known) {
        if (canStartEarly) early = startEarly(exchange, known)
        exchange.admit(await known.decision)
      } else {
        exchange.admit(known)
      }
      exchange.hasWaited = true
      return early ?? work(exchange)
    }

    /** Starts the work as if the call were admitted. Its result, even an error, is used only once the call is. */
    function startEarly(exchange: Exchange, { expected, decision }: PendingAdmission): Promise<Outcome> | undefined {
      if (!expected) return undefined
      exchange.expect(expected, decision)
      const outcome = Promise.try(work, exchange)
      outcome.catch(() => undefined)
      return outcome
    }

    function finish(exchange: Exchange, response: Response, now: number): Response {
      const { admission, requestId, request, startedAt } = exchange
      if (leavesBodyUnread(exchange, exchange.isWorkDiscarded)) response.headers.set('Connection', 'close')
      if (admission) gate.finish(admission, response.status, now)
      const facts = {
        requestId,
        method: request.method,
        operation: operationId,
        status: response.status,
        ms: Math.round((performance.now() - startedAt) * 100) / 100,
        keyId: admission?.key?.keyId,
      }
      logRequest(facts, now)
      return response
    }

    return (request, params, peers) => handle(new Exchange(request, params, peers, context))
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
        // Where a call may cost more than one request, the price is known only after its body is read.
        canStartEarly: operation.costs === undefined,
      })
    },
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
  new ApiError('not_acceptable', `The answer exists only as ${type}, which the \`Accept\` header excludes.`)
