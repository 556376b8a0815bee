import { type ApiError, apiErrors, validationFailed } from '../api/errors.ts'
import { mustHaveScope, type Operation } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import { banAt, type KeyDirectory, type KnownKey } from '../keys/directory.ts'
import { messageLimits, messageMeterSubject, ownMeter, ownMeterSubject, plans } from '../keys/plans.ts'
import type { Ban } from '../keys/store.ts'
import { type Awaitable, after } from '../lib/awaitable.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Limits } from '../lib/limits.ts'
import { minuteMs } from '../lib/time.ts'
import { addressSubject, type Decision, fits, type Limiter, windowStart } from '../limits/limiter.ts'
import type { UsageCounter } from '../usage/counter.ts'
import {
  type Admission,
  admitted,
  banned,
  batchTooLarge,
  counted,
  type Gate,
  type IncomingCall,
  limitReached,
  type PendingAdmission,
  rejected,
  unauthorized,
  uncounted,
  type Windows,
} from './admission.ts'
import { createStrikes } from './strikes.ts'

interface Dependencies {
  readonly db: Database
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  /** Called when a ban could not be stored. */
  readonly banFailed: (error: unknown) => void
  /** Called when the limits have banned a key. */
  readonly onBan: () => void
}

interface SeparateMeter {
  readonly subject: (keyId: number) => string
  readonly limitsOf: (limits: Limits) => Limits
  readonly which: string
}

const meters: Readonly<Record<NonNullable<Operation['meter']>, SeparateMeter>> = {
  own: { subject: ownMeterSubject, limitsOf: () => ownMeter, which: counted.ownMeter },
  messages: { subject: messageMeterSubject, limitsOf: messageLimits, which: counted.messages },
}

const isKey = (found: KnownKey | Admission): found is KnownKey => 'secret' in found

/** Identifies the caller and decides whether its limits have room for the call. */
export function createGate({ db, directory, limiter, usage, banFailed, onBan }: Dependencies): Gate {
  const banAfterStrikes = createStrikes({ db, directory, limiter, banFailed, onBan })
  const rejectBody = createBodyAllowance()

  async function admitUnauthenticated(call: IncomingCall, rejection: ApiError | undefined): Promise<Admission> {
    const { now } = call
    const decision = await limiter.admit(addressSubject(call.address()), plans.free, now)
    const windows = { used: decision.used, limits: plans.free, now }
    return uncounted(windows, undefined, decision.admitted ? rejection : limitReached(windows, counted.address))
  }

  /** The key could not be looked up. The call counts nowhere, and the response shows the cached windows of its address. */
  function rejectAfterLookupFailure(call: IncomingCall, failure: Error): Admission {
    const { now } = call
    // The shared counters are in the same database, and would only add to the wait.
    const used = limiter.known(addressSubject(call.address()), now) ?? { minute: 0, day: 0 }
    return uncounted({ used, limits: plans.free, now }, undefined, failure)
  }

  /** The caller's key, or the admission of a call without a valid one, which is counted by address. */
  function identify(call: IncomingCall): Awaitable<KnownKey | Admission> {
    const secret = readApiKey(call.apiKey, call.authorization)
    // An unknown path is 404 with or without a key.
    if (secret === undefined)
      return admitUnauthenticated(call, call.operation && unauthorized(apiErrors.missing_api_key))
    if (typeof secret !== 'string') return admitUnauthenticated(call, secret)
    const orReject = (key: KnownKey | undefined) =>
      key ?? admitUnauthenticated(call, call.operation && unauthorized(apiErrors.invalid_api_key))
    const lookup = directory.find(secret, call.now)
    if (!(lookup instanceof Promise)) return orReject(lookup)
    return lookup.then<KnownKey | Admission, Admission>(orReject, (failure) => rejectAfterLookupFailure(call, failure))
  }

  function enterWithKey({ operation, now }: IncomingCall, key: KnownKey): Awaitable<Admission | PendingAdmission> {
    if (operation?.meter) return admitToMeter(meters[operation.meter], key, now)
    const ban = banAt(key, now)
    if (ban) return rejectBanned(key, ban, now)
    const decision = limiter.admit(key.subject, key.limits, now)
    if (!(decision instanceof Promise)) return applyDecision(key, decision, now)
    return { expected: expectAdmission(key, now), decision: decision.then((made) => applyDecision(key, made, now)) }
  }

  const applyDecision = (key: KnownKey, decision: Decision, now: number): Awaitable<Admission> =>
    decision.admitted ? admitted(key, decision.used, now) : rejectOverLimit(key, decision, now)

  /** Expects a yes only if there is room for every call that is still undecided: a rejected flood must not load the database. */
  function expectAdmission(key: KnownKey, now: number): Admission | undefined {
    const used = limiter.expected(key.subject, now)
    return used && fits(used, key.limits) ? admitted(key, used, now) : undefined
  }

  async function rejectBanned(key: KnownKey, ban: Ban, now: number): Promise<Admission> {
    // Use the cached counters: a banned client that keeps calling must not cause a query per request.
    const used = limiter.known(key.subject, now) ?? (await limiter.used(key.subject, now))
    return banned(key, used, now, ban)
  }

  /** A window is full. Requests sent beyond it may get the key banned. */
  async function rejectOverLimit(
    key: KnownKey,
    { used, strikes, isStrike }: Decision,
    now: number,
    reason: (windows: Windows) => ApiError = limitReached,
  ): Promise<Admission> {
    const ban = await banAfterStrikes(key, strikes, now)
    const { limits } = key
    const verdict = ban ? banned(key, used, now, ban) : rejected(key, used, now, reason({ used, limits, now }))
    return { ...verdict, isStrike }
  }

  /** Counted by a separate meter, so that it costs no quota. */
  async function admitToMeter({ subject, limitsOf, which }: SeparateMeter, key: KnownKey, now: number) {
    const limits = limitsOf(key.limits)
    // Asked together, so the shared counters decide both in one statement.
    const [own, usedByKey] = await Promise.all([
      limiter.admit(subject(key.keyId), limits, now),
      limiter.used(key.subject, now),
    ])
    if (!own.admitted) {
      const windows = { used: own.used, limits, now }
      return uncounted(windows, key, limitReached(windows, which))
    }
    // Only a rejection is about the separate meter; headers and body show the windows of the key.
    return uncounted({ used: usedByKey, limits: key.limits, now, bannedUntil: banAt(key, now)?.until }, key)
  }

  async function readWindows(call: IncomingCall): Promise<Windows> {
    const { now } = call
    const secret = readApiKey(call.apiKey, call.authorization)
    const lookup = typeof secret === 'string' ? directory.find(secret, now) : undefined
    const key = await Promise.resolve(lookup).catch(() => undefined)
    const subject = key?.subject ?? addressSubject(call.address())
    const used = limiter.known(subject, now) ?? { minute: 0, day: 0 }
    return { used, limits: key?.limits ?? plans.free, now, bannedUntil: key && banAt(key, now)?.until }
  }

  return {
    enter: (call) => after(identify(call), (found) => (isKey(found) ? enterWithKey(call, found) : found)),

    rejectUnread: (call) => after(identify(call), (found) => (isKey(found) ? rejectBody(found, call.now) : found)),

    readWindows,

    reject: async (call, rejection) => uncounted(await readWindows(call), undefined, rejection),

    confirmCaller(db, { key }, operation, now) {
      if (!key) throw unauthorized(apiErrors.missing_api_key)
      // A revoked key manager could create a key before every node is notified, so ask the database, not the cache.
      const managesKeys = operation.scope === 'keys:manage' && operation.method !== 'get'
      const isCached = !managesKeys && directory.isCurrent(key, now)
      const readAgain = managesKeys ? directory.reloadLocked : directory.reload
      return after(isCached ? key : readAgain(db, key, now), (current) => {
        if (!current) throw unauthorized(apiErrors.invalid_api_key)
        mustHaveScope(operation, current.scopes)
        return current
      })
    },

    async charge(admission, requests, now) {
      const { key } = admission
      const more = requests - admission.requests
      if (!key || more <= 0) return admission
      const { subject, limits } = key
      const most = Math.min(limits.perMinute, limits.perDay)
      if (requests > most) {
        const message = `must have at most ${most} items: each counts as a request, and this key's limits never allow more at once`
        throw validationFailed([{ in: 'body', path: '', message }])
      }
      const decision = await limiter.admit(subject, limits, now, more)
      if (decision.admitted) return { ...admitted(key, decision.used, now), requests }
      const verdict = await rejectOverLimit(key, decision, now, (windows) => batchTooLarge(windows, more))
      return { ...verdict, requests: admission.requests }
    },

    finish({ countedFor, requests, rejection, isStrike }, status, now) {
      if (countedFor === undefined) return
      if (requests > 0) usage.count(countedFor, status >= 400 && !rejection ? 'errors' : 'allowed', requests, now)
      if (rejection) usage.count(countedFor, isStrike ? 'strikes' : 'limited', 1, now)
    },
  }
}

const keysMax = 10_000

/**
 * Returns a function that rejects a key's messages beyond those that its limits could admit in a minute: its requests and its protocol
 * messages together. So this node reads a bounded number, whatever the messages turn out to be. Each node has its own count.
 */
function createBodyAllowance(): (key: KnownKey, now: number) => Admission | undefined {
  const counts = new BoundedMap<number, { minute: number; read: number }>(keysMax)
  return (key, now) => {
    const { perMinute, perDay } = messageLimits(key.limits)
    const limits = { perMinute: perMinute + key.limits.perMinute, perDay: perDay + key.limits.perDay }
    const minute = windowStart(now, minuteMs)
    let count = counts.get(key.keyId)
    if (count?.minute !== minute) {
      count = { minute, read: 0 }
      counts.set(key.keyId, count)
    }
    if (count.read < limits.perMinute) {
      count.read++
      return undefined
    }
    const windows = { used: { minute: count.read, day: count.read }, limits, now }
    return uncounted(windows, key, limitReached(windows, counted.bodies))
  }
}

/** The API key of a call, from `X-API-Key` or a bearer token. Sending two different keys is an error; an empty header counts as no key. */
export function readApiKey(
  apiKey: string | undefined,
  authorization: string | undefined,
): string | undefined | ApiError {
  const plain = apiKey === '' ? undefined : apiKey
  if (authorization === undefined) return plain
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (plain !== undefined && bearer !== undefined && plain !== bearer) {
    const message = 'must be the same as X-API-Key when both are sent'
    return validationFailed([{ in: 'header', path: '/Authorization', message }])
  }
  return plain ?? bearer
}
