import type { Admission, Gate, PendingAdmission } from '../../platform/access/admission.ts'
import type { ApiError } from '../../platform/api/errors.ts'
import { type Awaitable, after } from '../../platform/lib/awaitable.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { RequestLog } from '../../platform/telemetry/request-log.ts'
import type { Tracer } from '../../platform/telemetry/traces/tracer.ts'
import type { Exchange, ExchangeContext } from './exchange.ts'

/** An answer in the form of a protocol, with its HTTP status. */
interface Answer {
  readonly status: number
}

/** Turns the result of a call, or its refusal, into an answer. */
export interface Answers<E, W, A> {
  outcome(exchange: E, result: W): A
  refusal(exchange: E, error: ApiError): A
}

export interface Stages<E, W, A> {
  readonly context: ExchangeContext
  /** Identifies and admits the caller. */
  readonly enter: (exchange: E) => Awaitable<Admission | PendingAdmission>
  readonly work: (exchange: E) => Awaitable<W>
  readonly answers: Answers<E, W, A>
  /** Whether `work` may start before the gate has decided, when it expects to admit the call. */
  readonly canStartEarly?: boolean
}

interface Dependencies {
  readonly clock: Clock
  readonly gate: Gate
  readonly requestLog: RequestLog
  readonly tracer: Tracer | undefined
}

/** The stages that every call goes through: identify, admit, run, answer, count. They await only where they must: a promise costs more than a read. */
export function createStages({ clock, gate, requestLog, tracer }: Dependencies) {
  return <E extends Exchange, W, A extends Answer>(stages: Stages<E, W, A>): ((exchange: E) => Awaitable<A>) => {
    const { context, enter, work, answers, canStartEarly = false } = stages
    const operationId = context.operation?.id ?? 'none'
    const logRequest = requestLog.forOperation(operationId)

    const answerError = (exchange: E, error: unknown): A =>
      answers.refusal(exchange, requestLog.toApiError(error, exchange.requestId))

    async function answerLater(exchange: E, result: Promise<W>): Promise<A> {
      let answer: A
      try {
        answer = answers.outcome(exchange, await result)
      } catch (error) {
        answer = answerError(exchange, error)
      }
      return finish(exchange, answer, clock.now())
    }

    /** Waits for the gate, then runs the work, or takes the result of work that was started early. */
    async function runLater(
      exchange: E,
      entered: PendingAdmission | Promise<Admission | PendingAdmission>,
    ): Promise<W> {
      const known = entered instanceof Promise ? await entered : entered
      let early: Promise<W> | undefined
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
    function startEarly(exchange: E, { expected, decision }: PendingAdmission): Promise<W> | undefined {
      if (!expected) return undefined
      exchange.expect(expected, decision)
      const result = Promise.try(work, exchange)
      result.catch(() => undefined)
      return result
    }

    function finish(exchange: E, answer: A, now: number): A {
      const { admission, requestId, request, startedAt } = exchange
      if (admission) gate.finish(admission, answer.status, now)
      const facts = {
        requestId,
        method: request.method,
        operation: operationId,
        status: answer.status,
        ms: Math.round((performance.now() - startedAt) * 100) / 100,
        keyId: admission?.key?.keyId,
        traceId: tracer?.current()?.traceId,
      }
      logRequest(facts, now)
      return answer
    }

    /** The synchronous path: a SQLite read never awaits. */
    function run(exchange: E): Awaitable<A> {
      requestLog.begin()
      let answer: A
      try {
        const entered = enter(exchange)
        if (entered instanceof Promise || 'decision' in entered)
          return answerLater(exchange, runLater(exchange, entered))
        exchange.admit(entered)
        const result = work(exchange)
        if (result instanceof Promise) return answerLater(exchange, result)
        answer = answers.outcome(exchange, result)
      } catch (error) {
        answer = answerError(exchange, error)
      }
      // Answered in the same tick, so the arrival time is also the finish time.
      return finish(exchange, answer, exchange.now)
    }

    if (!tracer) return run
    return (exchange) => {
      const { request, headers, requestId } = exchange
      const attributes = {
        'http.request.method': request.method,
        'http.route': context.operation?.path ?? '',
        'petstore.request_id': requestId,
      }
      return tracer.run({ name: operationId, kind: 'server', parent: headers.traceparent, attributes }, (span) =>
        after(run(exchange), (answer) => {
          span.set({ 'http.response.status_code': answer.status })
          if (answer.status >= 500) span.fail()
          return answer
        }),
      )
    }
  }
}
