import { ApiError, apiErrors, type ErrorKind } from '../api/errors.ts'
import type { AdmittedCaller, Operation } from '../api/operation.ts'
import type { Queryable } from '../db/database.ts'
import type { KnownKey } from '../keys/directory.ts'
import type { Ban } from '../keys/store.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Limits } from '../lib/limits.ts'
import { dayMs, minuteMs } from '../lib/time.ts'
import {
  blockingWindow,
  isMinuteTightest,
  remainingOf,
  secondsUntil,
  type Used,
  type WindowState,
  windowEnd,
  windowStates,
} from '../limits/limiter.ts'

// How an adapter (HTTP or another) talks to the gate: in plain values.

export interface Gate {
  /** Identifies the caller and counts the call. */
  enter(call: IncomingCall): Awaitable<Admission | PendingAdmission>
  /**
   * For a call whose body decides what it counts as: identifies the caller before the body is read. Returns the rejection of a caller
   * without a valid key, or of one that has sent more in this minute than its limits could ever admit.
   */
  rejectUnread(call: IncomingCall): Awaitable<Admission | undefined>
  /** Rejects a call, from any caller, without counting it. */
  reject(call: IncomingCall, rejection: Error): Promise<Admission>
  /** The windows of a call that is not counted, as far as this node knows. */
  readWindows(call: IncomingCall): Promise<Windows>
  /**
   * The caller at the time the work starts, since the body may have taken long to arrive. Throws if the key may no longer do this.
   * Call it first in the transaction of a write, and before a read that waited for the gate. Runs no query while the key is cached.
   */
  confirmCaller(db: Queryable, admission: Admission, operation: RequiredScope, now: number): Awaitable<AdmittedCaller>
  /**
   * Charges a call that turned out to count as several requests. Those beyond the first are admitted together, or the call is rejected;
   * requests admitted earlier stay counted.
   */
  charge(admission: Admission, requests: number, now: number): Promise<Admission>
  /** Records the status of the response. Called once per call. */
  finish(admission: Admission, status: number, now: number): void
}

/**
 * The counters have not answered yet. Meanwhile the work may start with the expected admission, but its response may be sent and its
 * changes kept only after the decision admits the call.
 */
export interface PendingAdmission {
  /** Undefined if this node does not know that there is room: wait for the decision. */
  readonly expected: Admission | undefined
  readonly decision: Promise<Admission>
}

type RequiredScope = Pick<Operation, 'scope' | 'orScope' | 'method'>

export interface IncomingCall {
  /** The headers `X-API-Key` and `Authorization`, if sent. */
  readonly apiKey: string | undefined
  readonly authorization: string | undefined
  /** The address that meters a call without a valid key. A function, because most calls do not need it. */
  address(): string
  readonly now: number
  /** Undefined for a path that does not exist. */
  readonly operation: Pick<Operation, 'meter'> | undefined
}

/** What the rate-limit headers of every response show. */
export interface Windows {
  readonly used: Used
  readonly limits: Limits
  readonly now: number
  /** The end of the key's ban, if it is banned now. */
  readonly bannedUntil?: number | undefined
}

/** The gate's decision on one call. */
export interface Admission extends Windows {
  /** The caller's key. */
  readonly key: KnownKey | undefined
  /** The key whose usage statistics count this call. */
  readonly countedFor: number | undefined
  /** How many requests were admitted for it. */
  readonly requests: number
  /** Why the call may not continue: a rejection for the client, or a failure of the gate. */
  readonly rejection: Error | undefined
  /** Whether the rejected call is a strike. */
  readonly isStrike?: boolean | undefined
}

/** An admitted call, which counts in the windows of its key. */
export const admitted = (key: KnownKey, used: Used, now: number): Admission => ({
  key,
  countedFor: key.keyId,
  requests: 1,
  used,
  limits: key.limits,
  now,
  rejection: undefined,
})

/** A rejected call with a key. */
export const rejected = (key: KnownKey, used: Used, now: number, rejection: Error): Admission => ({
  key,
  countedFor: key.keyId,
  requests: 0,
  used,
  limits: key.limits,
  now,
  rejection,
})

/** A call with a banned key. */
export const banned = (key: KnownKey, used: Used, now: number, ban: Ban): Admission => ({
  ...rejected(key, used, now, keyBanned(ban, now)),
  bannedUntil: ban.until,
})

/** A call that counts in no window of a key: it has no key, or another meter counts it. */
export const uncounted = (
  { used, limits, now, bannedUntil }: Windows,
  key: KnownKey | undefined,
  rejection?: Error,
): Admission => ({ key, countedFor: undefined, requests: rejection ? 0 : 1, used, limits, now, rejection, bannedUntil })

/** Which requests a limit counts, as a rejection words it: "all 60 requests … in this minute are used". */
export const counted = {
  key: 'with this key',
  address: 'from this IP address without a valid key',
  ownMeter: 'to GET /limits with this key',
  messages: 'for lists, guides and other protocol messages with this key',
  bodies: 'to /mcp with this key',
} as const

const retryAt = (kind: ErrorKind, what: string, at: number, now: number, more = ''): ApiError => {
  const seconds = secondsUntil(at, now)
  const advice = `Retry in ${seconds} s${more}.`
  return new ApiError(kind, what, { advice, headers: { 'Retry-After': String(seconds) } })
}

/** Only keys are banned. */
const keyWarning = '; what this key sends before that counts towards a temporary ban'

const kindOf = ({ name }: WindowState): ErrorKind =>
  name === 'day' ? apiErrors.quota_exhausted : apiErrors.rate_limited

/** A window has no room for one more request. */
export function limitReached({ used, limits, now }: Windows, which: string = counted.key): ApiError {
  const window = blockingWindow(windowStates(used, limits, now))
  const message = `All ${window.limit} requests ${which} in this ${window.name} are used.`
  return retryAt(kindOf(window), message, window.resetAt, now, which === counted.key ? keyWarning : '')
}

/** The windows have room, but not for every request that the call counts as. */
export function batchTooLarge({ used, limits, now }: Windows, more: number): ApiError {
  const window = blockingWindow(windowStates(used, limits, now), more)
  const message = `This call needs ${more} more requests, and ${window.remaining} are left in this ${window.name}. Nothing was done.`
  return retryAt(kindOf(window), message, window.resetAt, now, keyWarning)
}

function keyBanned({ until }: Ban, now: number): ApiError {
  const message = `This key is banned until ${new Date(until).toISOString()}, because it continued to send requests after 429.`
  return retryAt(apiErrors.key_banned, message, until, now, '; until then, GET /limits shows the ban and costs nothing')
}

export const unauthorized = (kind: ErrorKind) =>
  new ApiError(kind, undefined, {
    headers: { 'WWW-Authenticate': 'Bearer realm="petstore", ApiKey realm="petstore", header="X-API-Key"' },
  })

/** `RateLimit-Policy` by limits. A limits object lives as long as its key is cached. */
const policies = new WeakMap<Limits, string>()

function policyOf(limits: Limits): string {
  const cached = policies.get(limits)
  if (cached !== undefined) return cached
  const policy = `"minute";q=${limits.perMinute};w=60,"day";q=${limits.perDay};w=86400`
  policies.set(limits, policy)
  return policy
}

/**
 * Sets the rate-limit headers: the tightest window in the `X-` headers, both windows in the IETF's `RateLimit` headers. During a ban the
 * `X-` headers say that nothing is left until it ends.
 */
export function setLimitHeaders(headers: Headers, { used, limits, now, bannedUntil }: Windows): void {
  const { perMinute, perDay } = limits
  const minute = remainingOf(perMinute, used.minute)
  const day = remainingOf(perDay, used.day)
  const minuteEnds = windowEnd(now, minuteMs)
  const dayEnds = windowEnd(now, dayMs)
  const isMinute = isMinuteTightest(minute, day)
  headers.set('X-RateLimit-Limit', String(isMinute ? perMinute : perDay))
  const isBanned = bannedUntil !== undefined
  headers.set('X-RateLimit-Remaining', isBanned ? '0' : String(isMinute ? minute : day))
  const resetAt = bannedUntil ?? (isMinute ? minuteEnds : dayEnds)
  headers.set('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)))
  headers.set('RateLimit-Policy', policyOf(limits))
  headers.set(
    'RateLimit',
    `"minute";r=${minute};t=${secondsUntil(minuteEnds, now)},"day";r=${day};t=${secondsUntil(dayEnds, now)}`,
  )
}
