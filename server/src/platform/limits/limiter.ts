import { BoundedMap } from '../lib/bounded-map.ts'
import type { Limits } from '../lib/limits.ts'
import { dayMs, minuteMs } from '../lib/time.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface Decision {
  readonly admitted: boolean
  /** What the windows have admitted, including this call. */
  readonly used: Used
  /** Strikes of the last ten minutes, including this call if it is one; 0 for an admitted call. */
  readonly strikes: number
  /** Whether this call is a strike. */
  readonly isStrike?: boolean
}

/** Counts requests. Decides and counts in one step; a rejected call uses nothing. */
export interface Limiter {
  /** `cost`: how many requests the call counts as. Either all of them are admitted or none. */
  admit(subject: string, limits: Limits, now: number, cost?: number): Decision | Promise<Decision>
  used(subject: string, now: number): Used | Promise<Used>
  /** What this node last saw of the windows, without a query; undefined if it never saw them. */
  known(subject: string, now: number): Used | undefined
  /** What the windows will have admitted, as far as this node knows, if every undecided call is admitted. */
  expected(subject: string, now: number): Used | undefined
  forgetStrikes(subject: string): void | Promise<void>
  /** Called every second: synchronizes this process and the database. */
  flush(): Promise<void>
  /** Called every minute: drops what is idle at `settled`, a time without recent forward jumps of the clock. */
  forgetIdle(settled: number): Promise<void>
  /** Writes everything to the database; nothing is counted afterwards. */
  close(): Promise<void>
}

export const addressSubject = (address: string): string => `address:${address}`
export const isAddress = (subject: string): boolean => subject.startsWith('address:')

/**
 * A rejected call is a strike if it arrives later than this after its window first rejected one. Earlier calls may have been on their way
 * already, so the first `gracedMax` of them are not strikes. The routine `petstore_admit` repeats this number.
 */
const strikeGraceMs = 1_000

/** How many calls a window rejects without a strike. The routine `petstore_admit` repeats this number. */
export const gracedMax = 200

/** Strikes are counted per minute, and those of the last ten minutes matter. The routine `petstore_admit` repeats this in milliseconds. */
export const strikeMinutes = 10

/** Counts the limiter's decisions in the metrics. */
export function countDecisions(metrics: Metrics, limiter: Limiter): Limiter {
  let admitted = 0
  let rejected = 0
  metrics.add({
    name: 'petstore_limiter_decisions_total',
    help: 'Calls that the limits admitted or rejected.',
    kind: 'counter',
    labels: ['decision'],
    read: () => [
      [admitted, 'admitted'],
      [rejected, 'rejected'],
    ],
  })
  const count = (decision: Decision) => {
    if (decision.admitted) admitted++
    else rejected++
  }
  return {
    ...limiter,
    admit(subject, limits, now, cost) {
      const decision = limiter.admit(subject, limits, now, cost)
      if (decision instanceof Promise) void decision.then(count, () => undefined)
      else count(decision)
      return decision
    },
  }
}

// The arithmetic of the two fixed windows, as pure functions.

export const windowStart = (now: number, lengthMs: number): number => now - (((now % lengthMs) + lengthMs) % lengthMs)

/** How many requests the current windows have admitted. */
export interface Used {
  readonly minute: number
  readonly day: number
}

/** Whether both windows allow these counts: every request counts in both. */
export const fits = (used: Used, { perMinute, perDay }: Limits): boolean =>
  used.minute <= perMinute && used.day <= perDay

export type WindowName = 'minute' | 'day'

/** Which window rejects a call of this cost: of those without room, the one that resets last. */
export const rejectingWindow = (used: Used, { perDay }: Limits, cost: number): WindowName =>
  used.day + cost > perDay ? 'day' : 'minute'

export interface WindowState {
  readonly name: WindowName
  readonly limit: number
  readonly remaining: number
  readonly lengthMs: number
  /** When the window ends: a whole second, always after now. */
  readonly resetAt: number
}

export function windowStates(used: Used, limits: Limits, now: number): readonly [WindowState, WindowState] {
  return [
    windowState('minute', minuteMs, used.minute, limits.perMinute, now),
    windowState('day', dayMs, used.day, limits.perDay, now),
  ]
}

function windowState(
  name: WindowState['name'],
  lengthMs: number,
  used: number,
  limit: number,
  now: number,
): WindowState {
  return { name, limit, lengthMs, remaining: remainingOf(limit, used), resetAt: windowEnd(now, lengthMs) }
}

export const remainingOf = (limit: number, used: number): number => Math.max(0, limit - used)
export const windowEnd = (now: number, lengthMs: number): number => windowStart(now, lengthMs) + lengthMs

/** Which window limits a client first: the one with less left; if equal, the one that resets later. */
export const isMinuteTightest = (minute: number, day: number): boolean => minute < day

/** Of the windows without room for this many requests, the one that resets last. */
export const blockingWindow = ([minute, day]: readonly [WindowState, WindowState], cost = 1): WindowState =>
  day.remaining < cost ? day : minute

/** Whole seconds, rounded up, so that a client that waits exactly that long is admitted. */
export const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000))

const addressesMax = 50_000
const minutesKept = strikeMinutes + 5
const daysKept = 3
const idleMs = 2 * dayMs

/** Counts by window start. The last `keptMax` windows are kept, so that counting continues in them if the clock steps back. */
export class Tally {
  private start = Number.NEGATIVE_INFINITY
  private count = 0
  private readonly others = new Map<number, number>()
  constructor(private readonly keptMax: number) {}

  at(start: number): number {
    return start === this.start ? this.count : (this.others.get(start) ?? 0)
  }

  set(start: number, count: number): void {
    if (start !== this.start) this.switchTo(start)
    this.count = count
  }

  /** The sum of the windows from `first` to `last`. */
  between(first: number, last: number): number {
    let sum = this.start >= first && this.start <= last ? this.count : 0
    for (const [other, count] of this.others) if (other >= first && other <= last) sum += count
    return sum
  }

  /** The start of the window counted last. */
  get last(): number {
    return this.start
  }

  /** The windows with a count. */
  *entries(): Generator<[start: number, count: number]> {
    yield* this.others
    if (this.count > 0) yield [this.start, this.count]
  }

  private switchTo(start: number): void {
    if (this.count > 0) this.others.set(this.start, this.count)
    this.start = start
    this.others.delete(start)
    for (const [oldest] of this.others) {
      if (this.others.size <= this.keptMax) break
      this.others.delete(oldest)
    }
  }
}

/** What a window has rejected. */
export interface Rejection {
  readonly window: WindowName
  /** When it first rejected a call. */
  readonly firstAt: number
  /** How many calls it rejected without a strike. */
  readonly graced: number
}

/** The counts of one subject. */
export class Meter {
  readonly minute = new Tally(minutesKept)
  readonly day = new Tally(daysKept)
  strikes = new Tally(minutesKept)
  /** When each window rejected its first call. */
  readonly rejectedAt = { minute: new Tally(minutesKept), day: new Tally(daysKept) }
  /** How many calls each window rejected without a strike. */
  readonly graced = { minute: new Tally(minutesKept), day: new Tally(daysKept) }
  constructor(readonly subject: string) {}

  used(now: number): Used {
    return { minute: this.minute.at(windowStart(now, minuteMs)), day: this.day.at(windowStart(now, dayMs)) }
  }

  setUsed(now: number, used: Used): void {
    this.minute.set(windowStart(now, minuteMs), used.minute)
    this.day.set(windowStart(now, dayMs), used.day)
  }

  addStrikes(minute: number, count: number): void {
    this.strikes.set(minute, this.strikes.at(minute) + count)
  }

  /** Strikes of the ten minutes up to and including `minute`. */
  strikesUntil(minute: number): number {
    return this.strikes.between(minute - (strikeMinutes - 1) * minuteMs, minute)
  }

  /** Records that a window rejected a call. Returns when it first rejected one. */
  noteRejection(window: WindowName, start: number, at: number): number {
    const tally = this.rejectedAt[window]
    // The earliest, in case a clock that was ahead has stepped back.
    const first = Math.min(at, tally.at(start) || at)
    tally.set(start, first)
    return first
  }

  /** Continues from rejections seen elsewhere. */
  resumeRejections({ window, firstAt, graced }: Rejection, start: number): void {
    this.noteRejection(window, start, firstAt)
    this.graced[window].set(start, Math.max(graced, this.graced[window].at(start)))
  }

  /** Uses up one rejection without a strike. Returns false if the window has none left. */
  takeGrace(window: WindowName, start: number): boolean {
    const tally = this.graced[window]
    if (tally.at(start) >= gracedMax) return false
    tally.set(start, tally.at(start) + 1)
    return true
  }

  forgetStrikes(): void {
    this.strikes = new Tally(minutesKept)
  }
}

export const startsOf = (now: number): Used => ({ minute: windowStart(now, minuteMs), day: windowStart(now, dayMs) })

export interface Meters {
  /** The meter of a subject, if there is one. */
  find(subject: string): Meter | undefined
  of(subject: string): Meter
  all(): Iterable<Meter>
  /** Drops the meters that have counted nothing for two days, except those of addresses. */
  forgetIdle(settled: number): void
}

/** Meters by subject. Addresses are easy to change, so the number of their meters is bounded. */
export function createMeters(): Meters {
  const keys = new Map<string, Meter>()
  const addresses = new BoundedMap<string, Meter>(addressesMax)
  const find = (subject: string): Meter | undefined => keys.get(subject) ?? addresses.get(subject)

  function open(subject: string): Meter {
    const meter = new Meter(subject)
    const map = isAddress(subject) ? addresses : keys
    map.set(subject, meter)
    return meter
  }

  return {
    find,
    of: (subject) => find(subject) ?? open(subject),
    *all() {
      yield* keys.values()
      yield* addresses.values()
    },
    forgetIdle(settled) {
      const isIdle = ({ minute, strikes }: Meter) => Math.max(minute.last, strikes.last) <= settled - idleMs
      for (const [subject, meter] of keys) if (isIdle(meter)) keys.delete(subject)
    },
  }
}

/** The decision on a rejected call also says which window rejected it. */
type MemoryDecision = Decision & { readonly rejection?: Rejection }

export interface MemoryLimiter extends Limiter {
  readonly meters: Meters
  admit(subject: string, limits: Limits, now: number, cost?: number): MemoryDecision
  used(subject: string, now: number): Used
  forgetStrikes(subject: string): void
  /** Continues from counts and rejections seen elsewhere, unless the counts here are higher. */
  resume(subject: string, used: Used, now: number, rejection?: Rejection): void
}

/** Counts in memory only. */
export function createMemoryLimiter(): MemoryLimiter {
  const meters = createMeters()
  const known = (subject: string, now: number) => meters.find(subject)?.used(now)

  return {
    meters,

    admit(subject, limits, now, cost = 1) {
      const meter = meters.of(subject)
      const minute = windowStart(now, minuteMs)
      const day = windowStart(now, dayMs)
      const used = { minute: meter.minute.at(minute) + cost, day: meter.day.at(day) + cost }
      if (fits(used, limits)) {
        meter.minute.set(minute, used.minute)
        meter.day.set(day, used.day)
        return { admitted: true, used, strikes: 0 }
      }
      const window = rejectingWindow(meter.used(now), limits, cost)
      const start = startsOf(now)[window]
      const firstAt = meter.noteRejection(window, start, now)
      const isStrike = now > firstAt + strikeGraceMs || !meter.takeGrace(window, start)
      if (isStrike) meter.addStrikes(minute, 1)
      const strikes = meter.strikesUntil(minute)
      const rejection = { window, firstAt, graced: meter.graced[window].at(start) }
      return { admitted: false, used: meter.used(now), strikes, isStrike, rejection }
    },

    used: (subject, now) => meters.find(subject)?.used(now) ?? { minute: 0, day: 0 },

    known,
    // No call is ever undecided.
    expected: known,

    resume(subject, used, now, rejection) {
      const meter = meters.of(subject)
      if (rejection) meter.resumeRejections(rejection, startsOf(now)[rejection.window])
      const known = meter.used(now)
      meter.setUsed(now, { minute: Math.max(known.minute, used.minute), day: Math.max(known.day, used.day) })
    },

    forgetStrikes: (subject) => meters.find(subject)?.forgetStrikes(),

    forgetIdle: async (settled) => meters.forgetIdle(settled),
    flush: async () => undefined,
    close: async () => undefined,
  }
}
