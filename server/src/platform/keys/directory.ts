import type { Scope } from '../api/operation.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Limits } from '../lib/limits.ts'
import { dayMs, minuteMs } from '../lib/time.ts'
import { changesKeptMs, findChanges, keyChanged } from './announce.ts'
import { keySubject, type Plan } from './plans.ts'
import { hashSecret, isWellFormed } from './secret.ts'
import { type Ban, type BanColumns, clocksApartMs, findKeyBySecret, lockManagers } from './store.ts'

/** A key found by one of its secrets. The secret stays in memory and is never logged or returned. */
export interface KnownKey {
  readonly secret: string
  readonly keyId: number
  /** The subject its requests are counted under. Built once, because every request uses it in several lookups. */
  readonly subject: string
  readonly plan: Plan
  readonly limits: Limits
  readonly scopes: ReadonlySet<Scope>
  /** When this secret or the key itself expires, whichever is first. */
  readonly expiresAt: number
  readonly ban: Ban | undefined
}

const cachedMax = 10_000
/** The cache is used only if the database responded within this time: revocation fails closed. */
const trustedMs = 1_000

export interface KeyDirectory {
  /** The usable key with this secret. */
  find(secret: string, now: number): Awaitable<KnownKey | undefined>
  /** Whether a key is still cached unchanged and usable. */
  isCurrent(found: KnownKey, now: number): boolean
  /** The current state of a key, from the cache or from `db`; undefined if it can no longer be used. */
  reload(db: Queryable, found: KnownKey, now: number): Promise<KnownKey | undefined>
  /** Like `reload`, but from the database and under the lock on managing keys: the result holds until the transaction ends. */
  reloadLocked(tx: Queryable, found: KnownKey, now: number): Promise<KnownKey | undefined>
  /** Drops a key from the cache. */
  forget(keyId: number): void
  forgetAll(): void
  /** Finds changes whose notification was missed. */
  refresh(): Promise<void>
}

/** Caches keys by secret until they change. A secret is hashed only on a cache miss. */
export function createKeyDirectory(db: Database): KeyDirectory {
  const cache = new BoundedMap<string, KnownKey>(cachedMax)
  let changeCount = 0
  let confirmedAt = performance.now()
  let position = 0
  let seenChanges: ReadonlyMap<number, number> = new Map()

  // One pass over the cache, however many keys changed.
  function forget(keyIds: ReadonlySet<number>): void {
    if (keyIds.size === 0) return
    changeCount++
    cache.deleteWhere((key) => keyIds.has(key.keyId))
  }

  const recall = (secret: string): KnownKey | undefined =>
    performance.now() - confirmedAt < trustedMs ? cache.get(secret) : undefined

  async function load(secret: string, now: number): Promise<KnownKey | undefined> {
    const countBefore = changeCount
    const key = await readKey(db.aside, secret, now)
    // A change notified while reading makes the result stale: use it for this request but do not cache it.
    if (key && changeCount === countBefore) cache.set(secret, key)
    return ifUsable(key, now)
  }

  function forgetAll(): void {
    changeCount++
    cache.clear()
    // Another database server may use the same numbers for other transactions.
    position = 0
  }

  db.listen(keyChanged, (keyId) => forget(new Set([Number(keyId)])), forgetAll)

  return {
    find(secret, now) {
      const known = recall(secret)
      if (known) return ifUsable(known, now)
      return isWellFormed(secret) ? load(secret, now) : undefined
    },
    isCurrent: (found, now) => recall(found.secret) === found && now < found.expiresAt,
    // Not cached: the transaction may read changes that are rolled back later.
    reload: async (db, { secret }, now) => ifUsable(recall(secret) ?? (await readKey(db, secret, now)), now),
    async reloadLocked(tx, { secret }, now) {
      await lockManagers(tx)
      return ifUsable(await readKey(tx, secret, now), now)
    },
    forget: (keyId) => forget(new Set([keyId])),
    forgetAll,
    async refresh() {
      const checkedAt = performance.now()
      if (checkedAt - confirmedAt > changesKeptMs) forgetAll()
      const from = position
      const changed = await findChanges(db.aside, from)
      forget(new Set([...changed.found].filter(([id]) => !seenChanges.has(id)).map(([, keyId]) => keyId)))
      seenChanges = changed.found
      // `forgetAll` may have reset it meanwhile.
      if (position === from) position = changed.position
      confirmedAt = checkedAt
    },
  }
}

const ifUsable = (key: KnownKey | undefined, now: number): KnownKey | undefined =>
  key && now < key.expiresAt ? key : undefined

/** Reads the key with this secret from the database, unless it was revoked. */
async function readKey(db: Queryable, secret: string, now: number): Promise<KnownKey | undefined> {
  const row = await findKeyBySecret(db, hashSecret(secret), now)
  if (!row) return undefined
  const ends = [row.expires_at, row.secret_expires_at].map((end) => end ?? Number.POSITIVE_INFINITY)
  return {
    secret,
    keyId: row.id,
    subject: keySubject(row.id),
    plan: row.plan,
    limits: { perMinute: row.per_minute, perDay: row.per_day },
    scopes: new Set(row.scopes.split(' ') as Scope[]),
    expiresAt: Math.min(...ends),
    ban: banOf(row),
  }
}

/** The active ban in a key's row. */
export const banOf = ({ ban_until: until, ban_level: level }: BanColumns): Ban | undefined =>
  until !== null && level !== null ? { until, level } : undefined

/** The key's ban, if it is active now. */
export const banAt = ({ ban }: { readonly ban: Ban | undefined }, now: number): Ban | undefined =>
  ban && now < ban.until && ban.until - banDurationMs(ban.level) <= now + clocksApartMs ? ban : undefined

const firstBanMs = 2 * minuteMs
const banMsMax = dayMs
const levelResetMs = dayMs
const strikesMin = 30

/** How many strikes a key may have without a ban: half its requests per minute, but at least `strikesMin`. */
export const strikesAllowed = (perMinute: number): number => Math.max(strikesMin, Math.floor(perMinute / 2))

/** 2 minutes for the first ban, doubled for each further one, at most a day. */
export const banDurationMs = (level: number): number => Math.min(banMsMax, firstBanMs * 2 ** Math.min(level - 1, 30))

/** The level of a new ban: one above the last, or 1 after a day without a ban. */
export function nextLevel(last: { level: number; endedAt: number } | undefined, now: number): number {
  return last && now - last.endedAt < levelResetMs ? last.level + 1 : 1
}
