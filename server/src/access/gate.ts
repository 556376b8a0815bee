import { type ApiError, insufficientScope, validationFailed } from '../api/errors.ts'
import type { Admitted } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import { type Ban, isInForce } from '../keys/bans.ts'
import type { KeyDirectory, KnownKey } from '../keys/directory.ts'
import { plans } from '../keys/plans.ts'
import type { Limits } from '../lib/limits.ts'
import { addressSubject, counted, keySubject, type Limiter, ownMeter, ownMeterSubject } from '../limits/limiter.ts'
import { type Used, windowStates } from '../limits/windows.ts'
import type { UsageCounter } from '../usage/counter.ts'
import type { Entry, Gate, Incoming } from './entry.ts'
import { limitHeaders } from './headers.ts'
import { presentedKey } from './presented.ts'
import { banned, full, unauthorized, wouldNotFit } from './refusals.ts'
import { createStrikes } from './strikes.ts'

interface Parts {
  readonly db: Database
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  /** Told of a ban that could not be stored. */
  readonly banFailed: (error: unknown) => void
}

/** Who calls, and whether there is room for the call. */
export function createGate({ db, directory, limiter, usage, banFailed }: Parts): Gate {
  const banAfter = createStrikes({ db, directory, limiter, banFailed })

  async function stranger({ address, now }: Incoming, refusal: ApiError | undefined): Promise<Entry> {
    const { admitted, used } = await limiter.admit(addressSubject(address()), plans.free, now)
    return verdict({ which: counted.address, used, limits: plans.free, now, refusal: admitted ? refusal : 'full' })
  }

  /** The key cannot be looked up: the answer says so, costs nothing, and still tells what is left. */
  async function unknowable({ address, now }: Incoming, failure: Error): Promise<Entry> {
    const used = await limiter.used(addressSubject(address()), now)
    return verdict({ used, limits: plans.free, now, refusal: failure })
  }

  async function keyHolder(key: KnownKey, now: number): Promise<Entry> {
    const { keyId, limits } = key
    const subject = keySubject(keyId)
    const entry = (used: Used, refusal?: Refusal) => verdict({ key, countedFor: keyId, used, limits, now, refusal })
    const ban = banAt(key, now)
    // As this node last saw them: whoever insists while banned must not cost a statement each time.
    if (ban) return entry(limiter.known(subject, now) ?? (await limiter.used(subject, now)), banned(ban, now))

    const { admitted, used, strikes } = await limiter.admit(subject, limits, now)
    if (admitted) return entry(used)
    const imposed = await banAfter(key, strikes, now)
    return entry(used, imposed ? banned(imposed, now) : 'full')
  }

  async function asksForLimits(key: KnownKey, now: number): Promise<Entry> {
    // Asked together, which the shared counters answer in one statement.
    const [own, used] = await Promise.all([
      limiter.admit(ownMeterSubject(key.keyId), ownMeter, now),
      limiter.used(keySubject(key.keyId), now),
    ])
    const refusal = own.admitted ? undefined : 'full'
    const entry = verdict({ which: counted.ownMeter, key, used: own.used, limits: ownMeter, now, refusal })
    // The headers tell of the meter that it goes by, the answer of the windows that it is asked about.
    return { ...entry, caller: callerOf(key, windowStates(used, key.limits, now), now) }
  }

  return {
    async enter(call) {
      const { operation, now } = call
      const presented = presentedKey(call.apiKey, call.authorization)
      if (presented.fault) return stranger(call, presented.fault)
      let key: KnownKey | undefined
      try {
        key = presented.secret === undefined ? undefined : await directory.find(presented.secret, now)
      } catch (error) {
        return unknowable(call, error as Error)
      }
      if (!key) {
        // A path that does not exist is not found, whoever asks.
        const code = presented.secret === undefined ? 'missing_api_key' : 'invalid_api_key'
        return stranger(call, operation && unauthorized(code))
      }
      if (operation?.meter === 'own') return asksForLimits(key, now)
      const entry = await keyHolder(key, now)
      usage.touch(key.keyId, now)
      return entry
    },

    async shown({ apiKey, authorization, address, now }) {
      const { secret } = presentedKey(apiKey, authorization)
      const key = secret === undefined ? undefined : await directory.find(secret, now).catch(() => undefined)
      const subject = key ? keySubject(key.keyId) : addressSubject(address())
      const used = limiter.known(subject, now) ?? { minute: 0, day: 0 }
      return limitHeaders(windowStates(used, key?.limits ?? plans.free, now), now)
    },

    stillAllowed(db, { key, caller }, { scope, method }, now) {
      if (!key || !caller) throw unauthorized('missing_api_key')
      // Who manages keys could make another before every node has heard that it may not: here only the database is believed.
      const manages = scope === 'keys:manage' && method !== 'get'
      const found = (current: KnownKey | undefined): Admitted => {
        if (!current) throw unauthorized('invalid_api_key')
        if (scope && !current.scopes.has(scope)) throw insufficientScope(scope)
        return current === key ? caller : callerOf(current, caller.windows, now)
      }
      if (manages) return directory.locked(db, key, now).then(found)
      return directory.holds(key, now) ? found(key) : directory.again(db, key, now).then(found)
    },

    async charge(entry, requests, now) {
      const { key } = entry
      const more = requests - entry.requests
      if (!key || more <= 0) return entry
      const { keyId, limits } = key
      const most = Math.min(limits.perMinute, limits.perDay)
      if (requests > most) {
        const message = `must have at most ${most} items: each is a request, and this key has no more of them at once`
        throw validationFailed([{ in: 'body', path: '', message }])
      }
      const { admitted, used, strikes } = await limiter.admit(keySubject(keyId), limits, now, more)
      if (admitted) return { ...verdict({ key, countedFor: keyId, used, limits, now }), requests }
      const imposed = await banAfter(key, strikes, now)
      const refusal = imposed ? banned(imposed, now) : wouldNotFit(windowStates(used, limits, now), more, now)
      return { ...verdict({ key, countedFor: keyId, used, limits, now, refusal }), requests: entry.requests }
    },

    leave({ countedFor, requests, refusal }, status) {
      if (countedFor === undefined) return
      if (requests > 0) usage.count(countedFor, status >= 400 && !refusal ? 'errors' : 'allowed', requests)
      if (refusal) usage.count(countedFor, 'limited')
    },
  }
}

/** The ban that holds at this time. */
const banAt = ({ ban }: KnownKey, now: number): Ban | undefined => (ban && isInForce(ban, now) ? ban : undefined)

const callerOf = (key: KnownKey, windows: Admitted['windows'], now: number): Admitted => ({
  keyId: key.keyId,
  scopes: key.scopes,
  plan: key.plan,
  windows,
  ban: banAt(key, now),
})

/** Why a call may not go on; `full`: a window is. */
type Refusal = Error | 'full' | undefined

interface Findings {
  readonly key?: KnownKey
  readonly countedFor?: number
  /** Which requests the windows count. */
  readonly which?: string
  readonly used: Used
  readonly limits: Limits
  readonly now: number
  readonly refusal?: Refusal
}

/** Who calls, what the answer says of the windows, and why the call may not go on. */
function verdict({ key, countedFor, which = counted.key, used, limits, now, refusal }: Findings): Entry {
  const windows = windowStates(used, limits, now)
  return {
    key,
    caller: key && callerOf(key, windows, now),
    countedFor,
    requests: refusal ? 0 : 1,
    headers: limitHeaders(windows, now),
    refusal: refusal === 'full' ? full(windows, which, now) : refusal,
  }
}
