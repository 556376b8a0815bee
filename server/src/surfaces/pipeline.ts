import type { Admission, Gate, IncomingCall, PendingAdmission } from '../platform/access/admission.ts'
import { ApiError, apiErrors } from '../platform/api/errors.ts'
import type { Invocation, Invoke } from '../platform/api/invoke.ts'
import type { AdmittedCaller, Operation, Route } from '../platform/api/operation.ts'
import { traitsOf } from '../platform/api/traits.ts'
import { sealingKeyOf } from '../platform/keys/secret.ts'
import { type Awaitable, after } from '../platform/lib/awaitable.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Random } from '../platform/lib/random.ts'
import type { RequestLog } from '../platform/telemetry/request-log.ts'
import type { Tracer } from '../platform/telemetry/traces/tracer.ts'

// What every call goes through, whatever the protocol: identify, admit, run, respond, count.

/** Path parameters as sent. */
export type PathParams = Readonly<Record<string, string>>

/** What all calls of one operation, or for an unknown path, share. */
export interface CallContext {
  readonly operation: Operation | undefined
  readonly gate: Gate
  readonly clock: Clock
  readonly random: Random
  /** The address that meters a call: the peer's, or the one that a trusted proxy reports. */
  readonly addressOf: (peer: string, forwardedFor: string | undefined) => string
}

/** One call, used by every stage. A protocol adds how it reads the input. Properties that few calls need are computed on access. */
export abstract class Call implements IncomingCall, Invocation {
  /** By `performance.now()`. */
  readonly startedAt = performance.now()
  readonly now: number
  admission: Admission | undefined
  /** Whether the call waited for the gate, so that the key may have changed since its lookup. */
  hasWaited = false
  allowed: Promise<void> | undefined

  constructor(
    readonly requestId: string,
    readonly params: PathParams,
    protected readonly context: CallContext,
  ) {
    this.now = context.clock.now()
  }

  /** The method of the HTTP request that the call came with. */
  abstract get method(): string
  /** By lower-case name. */
  abstract get headers(): Readonly<Record<string, string | undefined>>
  abstract get apiKey(): string | undefined
  abstract get authorization(): string | undefined
  abstract get traceparent(): string | undefined
  /** The header `Prefer`, which asks a sandbox for a certain response. */
  abstract get prefer(): string | undefined
  abstract get ifMatch(): string | undefined
  abstract get ifNoneMatch(): string | undefined
  abstract get idempotencyKey(): string | undefined
  abstract get lastEventId(): string | undefined
  abstract get query(): Record<string, string | string[]> | undefined
  abstract get isAbandoned(): boolean
  abstract address(): string
  abstract body(): Promise<string>

  get operation(): Operation | undefined {
    return this.context.operation
  }
  get random(): Random {
    return this.context.random
  }
  /** Whether work was started early and the call was then rejected, so that its result is not used. */
  get isWorkDiscarded(): boolean {
    return this.allowed !== undefined && this.admission?.rejection !== undefined
  }
  get caller(): AdmittedCaller {
    return this.key
  }
  get used(): Admission['used'] {
    return this.currentAdmission.used
  }

  /** Assumes an admission until the gate decides. Changes may be kept only after `allowed`. */
  expect(expected: Admission, decision: Promise<Admission>): void {
    this.admission = expected
    this.allowed = decision.then(throwRejection)
    this.allowed.catch(() => undefined)
  }

  /** Applies the decision of the gate: throws if it rejected the call. */
  admit(admission: Admission): void {
    this.admission = admission
    throwRejection(admission)
  }

  currentTime(): number {
    return this.context.clock.now()
  }

  confirmCaller(db: Parameters<Gate['confirmCaller']>[0], now: number): Awaitable<AdmittedCaller> {
    const { gate, operation } = this.context
    if (!operation) throw new ApiError(apiErrors.route_not_found)
    return gate.confirmCaller(db, this.currentAdmission, operation, now)
  }

  async charge(requests: number): Promise<void> {
    // Now, not when the call came: its body may have taken minutes.
    this.admit(await this.context.gate.charge(this.currentAdmission, requests, this.currentTime()))
  }

  sealingKey(idempotencyKey: string): Uint8Array {
    return sealingKeyOf(this.key, idempotencyKey)
  }

  private get currentAdmission(): Admission {
    if (!this.admission) throw new Error('the gate has not been asked yet')
    return this.admission
  }

  private get key(): NonNullable<Admission['key']> {
    const { key } = this.currentAdmission
    if (!key) throw new ApiError(apiErrors.missing_api_key)
    return key
  }
}

function throwRejection({ rejection }: Admission): void {
  if (rejection) throw rejection
}

/** A response in the form of a protocol, with its HTTP status. */
interface ApiResponse {
  readonly status: number
}

/** Turns the result of a call, or its rejection, into a response. */
export interface Responses<C, W, A> {
  outcome(call: C, result: W): A
  rejection(call: C, error: ApiError): A
}

export interface Stages<C, W, A> {
  readonly context: CallContext
  /** Identifies and admits the caller. */
  readonly enter: (call: C) => Awaitable<Admission | PendingAdmission>
  readonly work: (call: C) => Awaitable<W>
  readonly responses: Responses<C, W, A>
  /** Whether `work` may start before the gate has decided, when it expects to admit the call. */
  readonly canStartEarly?: boolean
}

interface Dependencies {
  readonly clock: Clock
  readonly random: Random
  readonly gate: Gate
  readonly addressOf: CallContext['addressOf']
  readonly invoke: (route: Route) => Invoke
  readonly requestLog: RequestLog
  readonly tracer: Tracer | undefined
}

/** The pipeline of a service. A protocol gives it calls, and gets responses in its own form. */
export function createPipeline({ clock, random, gate, addressOf, invoke, requestLog, tracer }: Dependencies) {
  /** Puts the stages together, which await only where they must: a promise costs more than a read. */
  function connect<C extends Call, W, A extends ApiResponse>(stages: Stages<C, W, A>): (call: C) => Awaitable<A> {
    const { context, enter, work, responses, canStartEarly = false } = stages
    const operationId = context.operation?.id ?? 'none'
    const logRequest = requestLog.forOperation(operationId)

    /** Runs a call. If nothing makes it wait, as in a read on SQLite, it ends in the same tick. */
    function run(call: C): Awaitable<A> {
      requestLog.begin()
      let response: A
      try {
        const result = admitAndWork(call)
        if (result instanceof Promise) return respondLater(call, result)
        response = responses.outcome(call, result)
      } catch (error) {
        response = respondWithError(call, error)
      }
      // No time has passed since it arrived.
      return finish(call, response, call.now)
    }

    async function respondLater(call: C, result: Promise<W>): Promise<A> {
      let response: A
      try {
        response = responses.outcome(call, await result)
      } catch (error) {
        response = respondWithError(call, error)
      }
      return finish(call, response, clock.now())
    }

    function admitAndWork(call: C): Awaitable<W> {
      const entered = enter(call)
      if (entered instanceof Promise || 'decision' in entered) return workAfterGate(call, entered)
      call.admit(entered)
      return work(call)
    }

    /** The gate has to look up the key, or to ask the shared counters. While these decide, the work may already run. */
    async function workAfterGate(
      call: C,
      entered: PendingAdmission | Promise<Admission | PendingAdmission>,
    ): Promise<W> {
      const known = entered instanceof Promise ? await entered : entered
      const isPending = 'decision' in known
      const early = isPending && canStartEarly ? startEarly(call, known) : undefined
      call.admit(isPending ? await known.decision : known)
      call.hasWaited = true
      return early ?? work(call)
    }

    /** Starts the work as if the call were admitted. Its result, even an error, is used only once the call is. */
    function startEarly(call: C, { expected, decision }: PendingAdmission): Promise<W> | undefined {
      if (!expected) return undefined
      call.expect(expected, decision)
      const result = Promise.try(work, call)
      result.catch(() => undefined)
      return result
    }

    const respondWithError = (call: C, error: unknown): A =>
      responses.rejection(call, requestLog.toApiError(error, call.requestId))

    /** Counts and logs the call. */
    function finish(call: C, response: A, now: number): A {
      const { admission, requestId, method, startedAt } = call
      if (admission) gate.finish(admission, response.status, now)
      const facts = {
        requestId,
        method,
        operation: operationId,
        status: response.status,
        ms: Math.round((performance.now() - startedAt) * 100) / 100,
        keyId: admission?.key?.keyId,
        traceId: tracer?.current()?.traceId,
      }
      logRequest(facts, now)
      return response
    }

    return tracer ? traced(tracer, context.operation, run) : run
  }

  const contextOf = (operation: Operation | undefined): CallContext => ({ operation, gate, clock, random, addressOf })

  return {
    connect,
    contextOf,
    /** The stages of an operation, except how it gets a response. */
    stagesOf: (route: Route) => ({
      context: contextOf(route.operation),
      enter: gate.enter,
      work: invoke(route),
      canStartEarly: canStartEarly(route.operation),
    }),
  }
}

export type Pipeline = ReturnType<typeof createPipeline>

/** Where a call may cost more than one request, the price is known only after its body is read. A rejected stream must not open. */
const canStartEarly = (operation: Operation): boolean =>
  operation.costs === undefined && !traitsOf(operation).takesLastEventId

/** Runs calls, each in a separate span. */
function traced<C extends Call, A extends ApiResponse>(
  tracer: Tracer,
  operation: Operation | undefined,
  run: (call: C) => Awaitable<A>,
): (call: C) => Awaitable<A> {
  return (call) => {
    const attributes = {
      'http.request.method': call.method,
      'http.route': operation?.path ?? '',
      'petstore.request_id': call.requestId,
    }
    const span = { name: operation?.id ?? 'none', kind: 'server', parent: call.traceparent, attributes } as const
    return tracer.run(span, (span) =>
      after(run(call), (response) => {
        span.set({ 'http.response.status_code': response.status })
        if (response.status >= 500) span.fail()
        return response
      }),
    )
  }
}
