import type { Database } from '../db/database.ts'
import { ApiError } from '../http/errors.ts'
import type { Entry, Gate, Incoming } from '../http/gate.ts'
import type { KeyDirectory, KnownKey } from '../keys/directory.ts'
import { plans } from '../keys/plans.ts'
import { presentedKey } from '../keys/presented.ts'
import type { UsageCounter } from '../usage/counter.ts'
import { type Ban, banLifted, imposeBan, strikesAllowed } from './bans.ts'
import { limitHeaders } from './headers.ts'
import { addressSubject, keySubject, type Limiter, ownMeterSubject } from './limiter.ts'
import { blocking, type Limits, secondsUntil, type Used, windowStates } from './windows.ts'

interface Parts {
  readonly db: Database
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  readonly addressOf: (peer: string, forwardedFor: string | null) => string
}

/** GET /limits costs no quota; it may be asked once a second on average. */
const ownMeter: Limits = { perMinute: plans.free.perMinute, perDay: Number.MAX_SAFE_INTEGER }

interface KeyEntry extends Entry {
  /** The key whose use this counts as. */
  readonly countedFor?: number
}

/** Who calls, and whether there is room for the call. */
export function createGate({ db, directory, limiter, usage, addressOf }: Parts): Gate {
  const banning = new Map<number, Promise<Ban>>()
  db.listen(banLifted, (keyId) => void limiter.forgetStrikes(keySubject(Number(keyId))))

  const addressOfCaller = ({ request, peer }: Incoming) =>
    addressSubject(addressOf(peer(), request.headers.get('x-forwarded-for')))

  async function stranger(call: Incoming, refusal: ApiError | undefined): Promise<Entry> {
    const { now } = call
    const { admitted, used } = await limiter.admit(addressOfCaller(call), plans.free, now)
    return { caller: undefined, ...verdict(used, plans.free, now, admitted ? refusal : 'full') }
  }

  /** The look-up of the key failed. Answered with the windows of the address, which pays nothing for our failure. */
  async function unknown(call: Incoming, failure: Error): Promise<Entry> {
    const used = await limiter.used(addressOfCaller(call), call.now)
    return { caller: undefined, ...verdict(used, plans.free, call.now, failure) }
  }

  async function keyHolder(key: KnownKey, now: number): Promise<KeyEntry> {
    const { keyId, limits } = key
    const common = { caller: key, countedFor: keyId }
    if (key.ban && now < key.ban.until) {
      const used = await limiter.used(keySubject(keyId), now)
      return { ...common, ...verdict(used, limits, now, banned(key.ban, now)) }
    }
    const { admitted, used, strikes } = await limiter.admit(keySubject(keyId), limits, now)
    if (admitted) return { ...common, ...verdict(used, limits, now, undefined) }
    if (strikes <= strikesAllowed(limits.perMinute)) return { ...common, ...verdict(used, limits, now, 'full') }
    // A ban that cannot be stored does not change that this request is over the limit; the next one tries again.
    key.ban = await ban(keyId, now).catch(() => undefined)
    return { ...common, ...verdict(used, limits, now, key.ban ? banned(key.ban, now) : 'full') }
  }

  /** One ban for all the requests that pass the allowance together. */
  function ban(keyId: number, now: number): Promise<Ban> {
    let imposed = banning.get(keyId)
    if (!imposed) {
      imposed = imposeBan(db, keyId, now).finally(() => banning.delete(keyId))
      banning.set(keyId, imposed)
      void imposed.then(() => limiter.forgetStrikes(keySubject(keyId))).catch(() => undefined)
    }
    return imposed
  }

  async function asksForLimits(key: KnownKey, now: number): Promise<Entry> {
    const { admitted, used } = await limiter.admit(ownMeterSubject(key.keyId), ownMeter, now)
    if (!admitted) return { caller: key, ...verdict(used, ownMeter, now, 'full') }
    return { caller: key, ...verdict(await limiter.used(keySubject(key.keyId), now), key.limits, now, undefined) }
  }

  return {
    async enter(call, operation) {
      const presented = presentedKey(call.request.headers)
      if (presented.fault) return stranger(call, presented.fault)
      const key =
        presented.secret === undefined ? undefined : await directory.find(presented.secret, call.now).catch(asError)
      if (key instanceof Error) return unknown(call, key)
      if (!key) {
        // A path that does not exist is not found, whoever asks.
        return stranger(call, operation ? unauthorized(presented.secret) : undefined)
      }
      if (operation?.meter === 'own') return asksForLimits(key, call.now)
      const entry = await keyHolder(key, call.now)
      usage.touch(key.keyId, call.now)
      return entry
    },

    leave({ countedFor, refusal }: KeyEntry, status) {
      if (countedFor !== undefined) usage.count(countedFor, refusal ? 'limited' : status >= 400 ? 'errors' : 'allowed')
    },
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/** What the answer says of the windows, and why the request may not go on. */
function verdict(used: Used, limits: Limits, now: number, refusal: Error | 'full' | undefined) {
  const windows = windowStates(used, limits, now)
  return { headers: limitHeaders(windows, now), refusal: refusal === 'full' ? full(windows, now) : refusal }
}

function full(windows: ReturnType<typeof windowStates>, now: number): ApiError {
  const { name, limit, resetAt } = blocking(windows)
  const seconds = secondsUntil(resetAt, now)
  return new ApiError(
    name === 'day' ? 'quota_exhausted' : 'rate_limited',
    `All ${limit} requests of this ${name} are used. Retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

function banned({ until }: Ban, now: number): ApiError {
  const seconds = secondsUntil(until, now)
  return new ApiError(
    'key_banned',
    `This key is banned until ${new Date(until).toISOString()} for sending requests after 429. Retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

const unauthorized = (secret: string | undefined) =>
  new ApiError(secret === undefined ? 'missing_api_key' : 'invalid_api_key', undefined, {
    headers: { 'WWW-Authenticate': 'Bearer realm="petstore", ApiKey realm="petstore", header="X-API-Key"' },
  })
