import type { ApiError } from '../api/errors.ts'
import type { Database } from '../db/database.ts'
import { type Ban, banLifted, imposeBan, isInForce, strikesAllowed } from '../keys/bans.ts'
import type { KeyDirectory, KnownKey } from '../keys/directory.ts'
import { plans } from '../keys/plans.ts'
import { addressSubject, counted, keySubject, type Limiter, ownMeter, ownMeterSubject } from '../limits/limiter.ts'
import { type Limits, type Used, windowStates } from '../limits/windows.ts'
import type { UsageCounter } from '../usage/counter.ts'
import type { Entry, Gate, Incoming } from './entry.ts'
import { limitHeaders } from './headers.ts'
import { presentedKey } from './presented.ts'
import { banned, full, unauthorized } from './refusals.ts'

interface Parts {
  readonly db: Database
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  readonly usage: UsageCounter
  readonly addressOf: (peer: string, forwardedFor: string | null) => string
  /** Told of a ban that could not be stored. */
  readonly banFailed: (error: unknown) => void
}

/** Who calls, and whether there is room for the call. */
export function createGate({ db, directory, limiter, usage, addressOf, banFailed }: Parts): Gate {
  const banning = new Map<number, Promise<Ban>>()
  db.listen(banLifted, (keyId) => void limiter.forgetStrikes(keySubject(Number(keyId))))

  const subjectOf = ({ request, peer }: Incoming) =>
    addressSubject(addressOf(peer(), request.headers.get('x-forwarded-for')))

  async function stranger(call: Incoming, refusal: ApiError | undefined): Promise<Entry> {
    const { admitted, used } = await limiter.admit(subjectOf(call), plans.free, call.now)
    const which = counted.address
    return verdict({ which, used, limits: plans.free, now: call.now, refusal: admitted ? refusal : 'full' })
  }

  /** The key cannot be looked up: the answer says so, costs nothing, and still tells what is left. */
  async function unknowable(call: Incoming, failure: Error): Promise<Entry> {
    const used = await limiter.used(subjectOf(call), call.now)
    return verdict({ used, limits: plans.free, now: call.now, refusal: failure })
  }

  async function keyHolder(key: KnownKey, now: number): Promise<Entry> {
    const { keyId, limits } = key
    const subject = keySubject(keyId)
    const entry = (used: Used, refusal?: Refusal) =>
      verdict({ caller: key, countedFor: keyId, used, limits, now, refusal })
    const banNow = () => (key.ban && isInForce(key.ban, now) ? banned(key.ban, now) : undefined)
    if (banNow()) return entry(await limiter.used(subject, now), banNow())

    const { admitted, used, strikes } = await limiter.admit(subject, limits, now)
    if (admitted) return entry(used)
    // Asked again: a request that came along with this one may have got the key banned meanwhile.
    if (!banNow() && strikes > strikesAllowed(limits.perMinute)) {
      // A ban that cannot be stored does not change that this request is over the limit; the next one tries again.
      key.ban = await ban(keyId, now).catch((error: unknown) => void banFailed(error))
    }
    return entry(used, banNow() ?? 'full')
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
    const refusal = admitted ? undefined : 'full'
    return verdict({ which: counted.ownMeter, caller: key, used, limits: ownMeter, now, refusal })
  }

  return {
    async enter(call, operation) {
      const presented = presentedKey(call.request.headers)
      if (presented.fault) return stranger(call, presented.fault)
      let key: KnownKey | undefined
      try {
        key = presented.secret === undefined ? undefined : await directory.find(presented.secret, call.now)
      } catch (error) {
        return unknowable(call, error as Error)
      }
      if (!key) {
        // A path that does not exist is not found, whoever asks.
        const code = presented.secret === undefined ? 'missing_api_key' : 'invalid_api_key'
        return stranger(call, operation && unauthorized(code))
      }
      if (operation?.meter === 'own') return asksForLimits(key, call.now)
      const entry = await keyHolder(key, call.now)
      usage.touch(key.keyId, call.now)
      return entry
    },

    leave({ countedFor, refusal }, status) {
      if (countedFor !== undefined) usage.count(countedFor, refusal ? 'limited' : status >= 400 ? 'errors' : 'allowed')
    },
  }
}

/** Why a request may not go on; `full`: a window is. */
type Refusal = Error | 'full' | undefined

interface Findings {
  readonly caller?: KnownKey
  readonly countedFor?: number
  /** Which requests the windows count. */
  readonly which?: string
  readonly used: Used
  readonly limits: Limits
  readonly now: number
  readonly refusal?: Refusal
}

/** What the answer says of the windows, and why the request may not go on. */
function verdict({ caller, countedFor, which = counted.key, used, limits, now, refusal }: Findings): Entry {
  const windows = windowStates(used, limits, now)
  const headers = limitHeaders(windows, now)
  return { caller, countedFor, headers, refusal: refusal === 'full' ? full(windows, which, now) : refusal }
}
