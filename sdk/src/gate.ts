import { PetStoreError } from './errors.ts'
import { type LimitsTold, readLimits, type Window } from './limit-headers.ts'
import { Share } from './share.ts'
import type { Time } from './time.ts'

// All requests of a key go through one gate. It lets no more out than the answers say there is room for, beginning with one and
// at most doubling with each answer, so that programs which share a key notice each other before it is used up. After a 429 it
// lets none out until Retry-After has passed.

const never = Number.POSITIVE_INFINITY

export interface Pass {
  /** How many requests it counts as. */
  readonly cost: number
  /** The moment after which waiting makes no sense. */
  readonly deadline: number
  readonly signal: AbortSignal | undefined
  /** Whether to wait for room, or only for the end of a hold. */
  readonly throttle: boolean
}

interface Waiter {
  woken: AbortController
}

export class Gate {
  last: LimitsTold | undefined
  readonly #time: Time
  readonly #share = new Share()
  /** In the order of asking. Only the first looks whether it may go, so that a long queue costs little. */
  readonly #queue = new Set<Waiter>()
  #inFlight = 0
  #heldUntil = 0
  #heldBy = ''
  /** Answers came, but said nothing of limits. */
  #unlimited = false

  constructor(time: Time) {
    this.#time = time
  }

  /** Ends when a request may be sent, one after the other in the order of asking. Each one that entered must leave. */
  async enter({ cost, deadline, signal, throttle }: Pass): Promise<void> {
    const waiter: Waiter = { woken: new AbortController() }
    this.#queue.add(waiter)
    const wake = () => waiter.woken.abort()
    signal?.addEventListener('abort', wake)
    try {
      for (;;) {
        signal?.throwIfAborted()
        const now = this.#time.now()
        const { at, by } = this.#opens(cost, now, throttle)
        const isFirst = this.#first() === waiter
        if (isFirst && at <= now) break
        if (now >= deadline || (at > deadline && at !== never)) throw refusal(at, by, now)
        waiter.woken = new AbortController()
        await this.#time.sleep((isFirst ? Math.min(at, deadline) : deadline) - now, waiter.woken.signal)
      }
      this.#inFlight += cost
    } finally {
      signal?.removeEventListener('abort', wake)
      this.#queue.delete(waiter)
      this.#first()?.woken.abort()
    }
  }

  /** An answer came, or none did. */
  leave(cost: number, answer?: Response): void {
    this.#inFlight -= cost
    const told = answer && readLimits(answer.headers, this.#time.now())
    if (told) this.#learn(told, answer.status === 429 ? 0 : cost)
    else if (answer && this.last === undefined) this.#unlimited = true
    this.#first()?.woken.abort()
  }

  /** A request was refused for want of room: everybody waits. */
  hold({ code, retryAfterMs = 1_000 }: PetStoreError): void {
    const now = this.#time.now()
    this.#heldUntil = Math.max(this.#heldUntil, now + retryAfterMs)
    this.#heldBy = code === 'quota_exhausted' ? 'day' : 'minute'
    this.#share.struck(now)
  }

  /** When a request may be sent: now, at a time, or at no known time, when another one's answer has to come first. */
  #opens(cost: number, now: number, throttle: boolean): { at: number; by: string } {
    if (this.#heldUntil > now) return { at: this.#heldUntil, by: this.#heldBy }
    const open = { at: now, by: '' }
    if (!throttle || (this.#unlimited && this.last === undefined)) return open
    const alone = this.#inFlight === 0
    const windows = Object.entries(this.last ?? {})
    // Nothing is known of the window that runs now, so one goes ahead and finds out.
    if (windows.length === 0 || windows.some(([, { resetAt }]) => resetAt.getTime() <= now)) {
      return alone ? open : { at: never, by: '' }
    }
    const parts = this.#share.parts(now)
    const wanted = this.#inFlight + cost
    for (const [by, { remaining, resetAt }] of windows) {
      if (cost * parts > remaining) return { at: alone ? resetAt.getTime() : never, by }
      // Those under way may not be counted in `remaining` yet, and another program may be about to do the same.
      if (!alone && (wanted > this.#share.own + 1 || wanted * Math.max(2, parts) > remaining)) return { at: never, by }
    }
    return open
  }

  #learn(told: LimitsTold, cost: number): void {
    const now = this.#time.now()
    const before = this.last?.minute
    this.last = Object.fromEntries(
      Object.entries(told).map(([name, window]) => [name, latest(this.last?.[name], window, now)]),
    )
    const { minute } = this.last
    if (!minute) return
    if (!before || isNext(before, minute, now)) this.#share.windowBegins(minute.remaining)
    this.#share.answered(cost, minute.remaining, this.#inFlight)
  }

  #first(): Waiter | undefined {
    return this.#queue.values().next().value
  }
}

/** Times are told in whole seconds, so those of one window differ by little, and those of the next by a window. */
const sameWithinMs = 5_000
const isNext = (known: Window, told: Window, now: number): boolean =>
  known.resetAt.getTime() <= now || told.resetAt.getTime() > known.resetAt.getTime() + sameWithinMs

/** Answers overtake each other: within one window the least that was told is right. */
function latest(known: Window | undefined, told: Window, now: number): Window {
  if (!known || isNext(known, told, now)) return told
  if (told.resetAt.getTime() < known.resetAt.getTime() - sameWithinMs) return known
  return { ...told, remaining: Math.min(known.remaining, told.remaining) }
}

function refusal(at: number, by: string, now: number): PetStoreError {
  if (at === never) {
    return new PetStoreError({ code: 'timed_out', status: 0, message: 'Not sent: the calls before it took too long.' })
  }
  return new PetStoreError({
    code: by === 'day' ? 'quota_exhausted' : 'rate_limited',
    status: 429,
    message: `Not sent: no request is left for this key until ${new Date(at).toISOString()}.`,
    retryAfterMs: at - now,
  })
}
