import { type ApiError, mustHaveScope, validationFailed } from '../api/errors.ts'
import type { Admitted, Operation } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import { type Ban, banAt } from '../keys/bans.ts'
import type { KeyDirectory, KnownKey } from '../keys/directory.ts'
import { plans } from '../keys/plans.ts'
import { ownMeter, ownMeterSubject } from '../keys/subjects.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { type Admission, addressSubject, type Limiter } from '../limits/limiter.ts'
import { fits, windowStates } from '../limits/windows.ts'
import type { UsageCounter } from '../usage/counter.ts'
import { counted } from './counted.ts'
import type { Begin, Entry, Gate, Incoming, Windows } from './entry.ts'
import { presentedKey } from './presented.ts'
import { banned, unauthorized, wouldNotFit } from './refusals.ts'
import { createStrikes } from './strikes.ts'
import { keyEntry, verdict } from './verdict.ts'

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

  async function stranger(call: Incoming, refusal: ApiError | undefined): Promise<Entry> {
    const { now } = call
    const { admitted, used } = await limiter.admit(addressSubject(call.address()), plans.free, now)
    return verdict({ which: counted.address, used, limits: plans.free, now, refusal: admitted ? refusal : 'full' })
  }

  /** The key cannot be looked up: the answer says so, costs nothing, and still tells what is left. */
  async function unknowable(call: Incoming, failure: Error): Promise<Entry> {
    const { now } = call
    const used = await limiter.used(addressSubject(call.address()), now)
    return verdict({ used, limits: plans.free, now, refusal: failure })
  }

  function keyHolder<C extends Incoming>(call: C, key: KnownKey, begin: Begin<C> | undefined): Awaitable<Entry> {
    const { now } = call
    const ban = banAt(key, now)
    if (ban) return whileBanned(key, ban, now)
    const admission = limiter.admit(key.subject, key.limits, now)
    return admission instanceof Promise ? whileAsked(call, key, admission, begin) : decided(key, admission, now)
  }

  /** The entry of a call that its windows have decided on. */
  const decided = (key: KnownKey, admission: Admission, now: number): Awaitable<Entry> =>
    admission.admitted ? keyEntry(key, admission.used, now) : overLimit(key, admission, now)

  /** The same where the counters have to be asked; the work may begin meanwhile. */
  function whileAsked<C extends Incoming>(
    call: C,
    key: KnownKey,
    admission: Promise<Admission>,
    begin: Begin<C> | undefined,
  ): Promise<Entry> {
    const { now } = call
    const entry = admission.then((decision) => decided(key, decision, now))
    const expected = begin && expectedEntry(key, now)
    if (expected) begin(call, expected, entry)
    return entry
  }

  /** Of a call for which there is room beside all that wait with it, as far as this node knows: a refused flood must not load the database. */
  function expectedEntry(key: KnownKey, now: number): Entry | undefined {
    const used = limiter.expected(key.subject, now)
    return used && fits(used, key.limits) ? keyEntry(key, used, now) : undefined
  }

  async function whileBanned(key: KnownKey, ban: Ban, now: number): Promise<Entry> {
    // As this node last saw them: whoever insists while banned must not cost a statement each time.
    const used = limiter.known(key.subject, now) ?? (await limiter.used(key.subject, now))
    return keyEntry(key, used, now, banned(ban, now))
  }

  async function overLimit(key: KnownKey, { used, strikes }: Admission, now: number): Promise<Entry> {
    const imposed = await banAfter(key, strikes, now)
    return keyEntry(key, used, now, imposed ? banned(imposed, now) : 'full')
  }

  async function asksForLimits(key: KnownKey, now: number): Promise<Entry> {
    // Asked together, which the shared counters answer in one statement.
    const [own, usedByKey] = await Promise.all([
      limiter.admit(ownMeterSubject(key.keyId), ownMeter, now),
      limiter.used(key.subject, now),
    ])
    const refusal = own.admitted ? undefined : 'full'
    // The headers tell of the meter that it goes by, the answer of the windows that it is asked about.
    return { ...verdict({ which: counted.ownMeter, key, used: own.used, limits: ownMeter, now, refusal }), usedByKey }
  }

  function withKey<C extends Incoming>(
    call: C,
    key: KnownKey | undefined,
    begin: Begin<C> | undefined,
  ): Awaitable<Entry> {
    const { operation, now } = call
    if (!key) return stranger(call, operation && unauthorized('invalid_api_key'))
    if (operation?.meter === 'own') return asksForLimits(key, now)
    return keyHolder(call, key, begin)
  }

  const whileLookedUp = <C extends Incoming>(
    call: C,
    found: Promise<KnownKey | undefined>,
    begin: Begin<C> | undefined,
  ): Promise<Entry> =>
    found.then(
      (key) => withKey(call, key, begin),
      (failure) => unknowable(call, failure),
    )

  async function shown(call: Incoming): Promise<Windows> {
    const { now } = call
    const secret = presentedKey(call.apiKey, call.authorization)
    const looked = typeof secret === 'string' ? directory.find(secret, now) : undefined
    const key = await Promise.resolve(looked).catch(() => undefined)
    const subject = key?.subject ?? addressSubject(call.address())
    const used = limiter.known(subject, now) ?? { minute: 0, day: 0 }
    return { used, limits: key?.limits ?? plans.free, now }
  }

  return {
    enter(call, begin) {
      const secret = presentedKey(call.apiKey, call.authorization)
      // A path that does not exist is not found, whoever asks.
      if (secret === undefined) return stranger(call, call.operation && unauthorized('missing_api_key'))
      if (typeof secret !== 'string') return stranger(call, secret)
      const found = directory.find(secret, call.now)
      return found instanceof Promise ? whileLookedUp(call, found, begin) : withKey(call, found, begin)
    },

    shown,

    turnAway: async (call, refusal) => verdict({ ...(await shown(call)), refusal }),

    stillAllowed(db, { key }, operation, now) {
      if (!key) throw unauthorized('missing_api_key')
      // Who manages keys could make another before every node has heard that it may not: here only the database is believed.
      const manages = operation.scope === 'keys:manage' && operation.method !== 'get'
      if (!manages && directory.isCurrent(key, now)) return withScope(key, operation)
      const current = manages ? directory.reloadLocked(db, key, now) : directory.reload(db, key, now)
      return withScopeOf(current, operation)
    },

    async charge(entry, requests, now) {
      const { key } = entry
      const more = requests - entry.requests
      if (!key || more <= 0) return entry
      const { subject, limits } = key
      const most = Math.min(limits.perMinute, limits.perDay)
      if (requests > most) {
        const message = `must have at most ${most} items: each is a request, and this key has no more of them at once`
        throw validationFailed([{ in: 'body', path: '', message }])
      }
      const { admitted, used, strikes } = await limiter.admit(subject, limits, now, more)
      if (admitted) return { ...keyEntry(key, used, now), requests }
      const imposed = await banAfter(key, strikes, now)
      const refusal = imposed ? banned(imposed, now) : wouldNotFit(windowStates(used, limits, now), more, now)
      return { ...keyEntry(key, used, now, refusal), requests: entry.requests }
    },

    leave({ countedFor, requests, refusal }, status, now) {
      if (countedFor === undefined) return
      if (requests > 0) usage.count(countedFor, status >= 400 && !refusal ? 'errors' : 'allowed', requests, now)
      if (refusal) usage.count(countedFor, 'limited', 1, now)
    },
  }
}

type Scoped = Pick<Operation, 'scope' | 'orScope'>

/** The caller as its key is by now. */
async function withScopeOf(current: Promise<KnownKey | undefined>, operation: Scoped): Promise<Admitted> {
  const key = await current
  if (!key) throw unauthorized('invalid_api_key')
  return withScope(key, operation)
}

function withScope(caller: Admitted, operation: Scoped): Admitted {
  mustHaveScope(operation, caller.scopes)
  return caller
}
