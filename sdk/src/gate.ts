import { createError } from './error-kinds.ts'
import type { PetStoreError } from './errors.ts'
import { isNextWindow, type LimitWindows, mergeWindow, readLimits } from './limit-headers.ts'
import { Share } from './share.ts'
import type { Time } from './time.ts'

/**
 * All requests of a key go through one gate, one after the other. The responses so far decide its state for the next request:
 *
 * | State     | When                                                      | The request is sent     |
 * | --------- | --------------------------------------------------------- | ----------------------- |
 * | blocked   | A 429 came, and its Retry-After has not passed.           | when it has passed      |
 * | probing   | A request in flight will show what a new window has left. | after its response      |
 * | exhausted | Our share of a window is too small, none is in flight.    | when the window resets  |
 * |           | Our share of a window is too small, some are in flight.   | after the next response |
 * | ramping   | Together with those in flight it might be too many.       | after the next response |
 * | open      | Otherwise, and without limits or throttling.              | now                     |
 *
 * Ramping at most doubles the requests in flight with each response, so programs that share a key notice each other in time.
 */
type GateState =
  | { readonly name: 'open' | 'probing' | 'ramping' }
  | { readonly name: 'blocked' | 'exhausted'; readonly window: string; readonly until: number }

const never = Number.POSITIVE_INFINITY

/** When the gate opens; `never` if a response has to come first. */
const opensAt = (state: GateState, now: number): number => {
  if (state.name === 'open') return now
  return 'until' in state ? state.until : never
}

export interface Pass {
  /** How many requests it counts as. */
  readonly cost: number
  /** Give up waiting at this time. */
  readonly deadline: number
  readonly signal: AbortSignal | undefined
  /** Whether to wait for room, or only while blocked. */
  readonly throttle: boolean
  /** The share of each limit that it leaves for others, which are also let through before it. */
  readonly leaveFree: number
}

interface Waiter {
  readonly leavesRoom: boolean
  wakeUp: AbortController
}

export class Gate {
  /** What is left according to the responses; undefined before the first that named limits. */
  last: LimitWindows | undefined
  readonly #time: Time
  readonly #share = new Share()
  /** Only the first checks the state, so a long queue is cheap. */
  readonly #queue = new Set<Waiter>()
  #inFlight = 0
  #block = { until: 0, window: '' }
  /** Responses came, but none named limits. */
  #isUnlimited = false

  constructor(time: Time) {
    this.#time = time
  }

  /** Resolves when the request may be sent. Each call must be followed by `leave`. */
  async enter(pass: Pass): Promise<void> {
    const { cost, deadline, signal } = pass
    const waiter: Waiter = { leavesRoom: pass.leaveFree > 0, wakeUp: new AbortController() }
    this.#queue.add(waiter)
    const wake = () => waiter.wakeUp.abort()
    signal?.addEventListener('abort', wake)
    try {
      for (;;) {
        signal?.throwIfAborted()
        const now = this.#time.now()
        const state = this.#stateFor(pass, now)
        const at = opensAt(state, now)
        const isFirst = this.#first() === waiter
        if (isFirst && at <= now) break
        if (now >= deadline || (at > deadline && at !== never)) throw rejection(state, now, pass)
        waiter.wakeUp = new AbortController()
        await this.#time.sleep((isFirst ? Math.min(at, deadline) : deadline) - now, waiter.wakeUp.signal)
      }
      this.#inFlight += cost
    } finally {
      signal?.removeEventListener('abort', wake)
      this.#queue.delete(waiter)
      this.#first()?.wakeUp.abort()
    }
  }

  /** Called when a response has come, or when none will. One that costs nothing did not enter. */
  leave(cost: number, response?: Response): void {
    this.#inFlight -= cost
    const limits = response && readLimits(response.headers, this.#time.now())
    if (limits) this.#learn(limits, response.status === 429 ? 0 : cost)
    else if (response && cost > 0 && this.last === undefined) this.#isUnlimited = true
    this.#first()?.wakeUp.abort()
  }

  /** Called after a 429: no request is sent until Retry-After has passed. */
  block({ code, retryAfterMs = 1_000 }: PetStoreError): void {
    const now = this.#time.now()
    const window = code === 'quota_exhausted' ? 'day' : 'minute'
    // Requests that were on their way when the first was rejected are no sign of more programs, and the service does not mind them.
    if (this.#block.until <= now) this.#share.countRejection(now)
    const until = now + retryAfterMs
    if (until > this.#block.until) this.#block = { until, window }
  }

  #stateFor({ cost, throttle, leaveFree }: Pass, now: number): GateState {
    if (this.#block.until > now) return { name: 'blocked', ...this.#block }
    if (!throttle || (this.#isUnlimited && this.last === undefined)) return { name: 'open' }
    const isAlone = this.#inFlight === 0
    const windows = Object.entries(this.last ?? {})
    const isUnknown = windows.length === 0 || windows.some(([, { resetAt }]) => resetAt.getTime() <= now)
    if (isUnknown) return { name: isAlone ? 'open' : 'probing' }
    const parts = this.#share.parts(now)
    const wanted = this.#inFlight + cost
    for (const [window, { limit, remaining: left, resetAt }] of windows) {
      const remaining = left - limit * leaveFree
      if (cost * parts > remaining) return { name: 'exhausted', window, until: isAlone ? resetAt.getTime() : never }
      // Requests in flight may not be counted in `remaining` yet, and another program may be about to send as many.
      const isTooMany = wanted > this.#share.responded + 1 || wanted * Math.max(2, parts) > remaining
      if (!isAlone && isTooMany) return { name: 'ramping' }
    }
    return { name: 'open' }
  }

  #learn(limits: LimitWindows, cost: number): void {
    const now = this.#time.now()
    const before = this.last?.minute
    this.last = Object.fromEntries(
      Object.entries(limits).map(([name, window]) => [name, mergeWindow(this.last?.[name], window, now)]),
    )
    const { minute } = this.last
    if (!minute) return
    if (!before || isNextWindow(before, minute, now)) this.#share.startWindow(minute.remaining)
    this.#share.countResponse(cost, minute.remaining, this.#inFlight)
  }

  #first(): Waiter | undefined {
    for (const waiter of this.#queue) if (!waiter.leavesRoom) return waiter
    return this.#queue.values().next().value
  }
}

function rejection(state: GateState, now: number, { leaveFree }: Pass): PetStoreError {
  const at = opensAt(state, now)
  if (!('until' in state) || at === never) {
    return createError({
      code: 'timed_out',
      status: 0,
      message: 'Not sent: the calls before it took too long.',
    })
  }
  return createError({
    code: state.window === 'day' ? 'quota_exhausted' : 'rate_limited',
    status: 429,
    message: `Not sent: this key has no requests left${leaveFree > 0 ? ' for this' : ''} until ${new Date(at).toISOString()}.`,
    retryAfterMs: at - now,
  })
}
