import { PetStoreError } from './errors.ts'
import { type LimitsTold, readLimits, type Window } from './limit-headers.ts'
import type { Time } from './time.ts'

// All requests of a client go through one gate. It lets no more out than the answers say there is room for, and after a 429
// it lets none out until Retry-After has passed. So a key is never struck more than once at a time, however many calls wait.

/** How long the service remembers a strike. */
const strikesLastMs = 10 * 60_000
const reserveMax = 32

export interface Pass {
  /** How many requests it counts as. */
  readonly cost: number
  /** The moment after which waiting makes no sense. */
  readonly deadline: number
  readonly signal: AbortSignal | undefined
  /** Whether to wait for room, or only for the end of a hold. */
  readonly throttle: boolean
}

export class Gate {
  last: LimitsTold | undefined
  readonly #time: Time
  readonly #waiting = new Set<AbortController>()
  #inFlight = 0
  #heldUntil = 0
  #heldBy = 'minute'
  /** Answers came, but said nothing of limits. */
  #unlimited = false
  /** Left for others who use the key: doubles when a 429 shows that somebody does, halves when ten minutes were quiet. */
  #reserve = 0
  #struckAt = 0

  constructor(time: Time) {
    this.#time = time
  }

  /** Ends when a request may be sent. Each one that entered must leave. */
  async enter({ cost, deadline, signal, throttle }: Pass): Promise<void> {
    for (;;) {
      signal?.throwIfAborted()
      const now = this.#time.now()
      const { at, by } = this.#opens(cost, now, throttle)
      if (at <= now) {
        this.#inFlight += cost
        return
      }
      if (now >= deadline || (at > deadline && at !== Number.POSITIVE_INFINITY)) throw refusal(at, by, now)
      await this.#wait(Math.min(at, deadline) - now, signal)
    }
  }

  /** An answer came with these headers, or none did. */
  leave(cost: number, headers?: Headers): void {
    this.#inFlight -= cost
    const limits = headers && readLimits(headers, this.#time.now())
    if (limits) this.#learn(limits)
    else if (headers && this.last === undefined) this.#unlimited = true
    for (const waiting of this.#waiting) waiting.abort()
  }

  /** A request was refused for want of room: everybody waits. */
  hold({ code, retryAfterMs = 1_000 }: PetStoreError): void {
    const now = this.#time.now()
    this.#heldUntil = Math.max(this.#heldUntil, now + retryAfterMs)
    this.#heldBy = code === 'quota_exhausted' ? 'day' : 'minute'
    this.#reserve = Math.min(reserveMax, Math.max(1, this.#reserve * 2))
    this.#struckAt = now
  }

  /** When a request may be sent: now, at a time, or at no known time, when another one's answer has to come first. */
  #opens(cost: number, now: number, throttle: boolean): { at: number; by: string } {
    if (this.#heldUntil > now) return { at: this.#heldUntil, by: this.#heldBy }
    if (!throttle || (this.#unlimited && this.last === undefined)) return { at: now, by: '' }
    const windows = Object.entries(this.last ?? {})
    // Nothing is known of the window that runs now, so one goes ahead and finds out.
    if (windows.length === 0 || windows.some(([, { resetAt }]) => resetAt.getTime() <= now)) {
      return { at: this.#inFlight === 0 ? now : Number.POSITIVE_INFINITY, by: '' }
    }
    for (const [by, { limit, remaining, resetAt }] of windows.reverse()) {
      const room = remaining - Math.min(this.#reserveAt(now), Math.floor(limit / 2))
      // Those under way may not be counted in `remaining` yet.
      if (this.#inFlight + cost <= room) continue
      return { at: this.#inFlight > 0 && cost <= room ? Number.POSITIVE_INFINITY : resetAt.getTime(), by }
    }
    return { at: now, by: '' }
  }

  #reserveAt(now: number): number {
    if (now - this.#struckAt >= strikesLastMs) {
      this.#reserve = Math.floor(this.#reserve / 2)
      this.#struckAt = now
    }
    return this.#reserve
  }

  #learn(limits: LimitsTold): void {
    this.last = Object.fromEntries(
      Object.entries(limits).map(([name, told]) => [name, latest(this.last?.[name], told, this.#time.now())]),
    )
  }

  async #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController()
    const wake = () => woken.abort()
    this.#waiting.add(woken)
    signal?.addEventListener('abort', wake)
    await this.#time.sleep(ms, woken.signal)
    signal?.removeEventListener('abort', wake)
    this.#waiting.delete(woken)
  }
}

/** Answers overtake each other: within one window the least that was told is right. */
function latest(known: Window | undefined, told: Window, now: number): Window {
  if (!known || known.resetAt.getTime() <= now) return told
  // Times are told in whole seconds, so those of one window differ by little, and those of the next by a window.
  const laterMs = told.resetAt.getTime() - known.resetAt.getTime()
  if (laterMs > 5_000) return told
  if (laterMs < -5_000) return known
  return { ...told, remaining: Math.min(known.remaining, told.remaining) }
}

function refusal(at: number, by: string, now: number): PetStoreError {
  if (at === Number.POSITIVE_INFINITY) {
    return new PetStoreError({ code: 'timed_out', status: 0, message: 'Not sent: the calls before it took too long.' })
  }
  return new PetStoreError({
    code: by === 'day' ? 'quota_exhausted' : 'rate_limited',
    status: 429,
    message: `Not sent: no request is left for this key until ${new Date(at).toISOString()}.`,
    retryAfterMs: at - now,
  })
}
