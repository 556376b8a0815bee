import type { Scope } from '../api/scopes.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Plan } from '../db/tables.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { keySubject, type Limits } from '../lib/limits.ts'
import { changesKeptMs, findChanges, keyChanged } from './announce.ts'
import { type Ban, banOf } from './bans.ts'
import { hashSecret, isWellFormed } from './secret.ts'
import { findKeyBySecret, lockManagers } from './store.ts'

/** A key by one of its secrets, which is kept in memory only and told to nobody. */
export interface KnownKey {
  readonly secret: string
  readonly keyId: number
  /** What its requests are counted under: looked up in several maps for each, so it is spelled once. */
  readonly subject: string
  readonly plan: Plan
  readonly limits: Limits
  readonly scopes: ReadonlySet<Scope>
  /** When this secret, or the whole key, stops working. */
  readonly expiresAt: number
  readonly ban: Ban | undefined
}

const rememberedMax = 10_000
/** What is remembered counts only while the database was heard from within this time: revocation fails closed. */
const trustedMs = 1_000

export interface KeyDirectory {
  /** The key that has this secret and may be used now. */
  find(secret: string, now: number): Awaitable<KnownKey | undefined>
  /** Whether a key that was found is still remembered as it was, and may be used. */
  holds(found: KnownKey, now: number): boolean
  /** What has become of a key that was found: as remembered, or as `db` says. Undefined when it may not be used any more. */
  again(db: Queryable, found: KnownKey, now: number): Promise<KnownKey | undefined>
  /** The same, whatever is remembered, under the lock of those who manage keys: until the transaction ends it stays so. */
  locked(tx: Queryable, found: KnownKey, now: number): Promise<KnownKey | undefined>
  /** Reads a key again when it is next asked for. */
  forget(keyId: number): void
  forgetAll(): void
  /** Looks for changes that were not heard of. */
  refresh(): Promise<void>
}

/** Keys by their secret, remembered until something about them changes. Only what is not remembered has to be hashed. */
export function createKeyDirectory(db: Database): KeyDirectory {
  const remembered = new BoundedMap<string, KnownKey>(rememberedMax)
  let changes = 0
  let confirmedAt = performance.now()
  let position = 0
  let changesSeen: ReadonlyMap<number, number> = new Map()

  // All of them in one walk over what is remembered, however many keys have changed.
  function forget(keyIds: ReadonlySet<number>): void {
    if (keyIds.size === 0) return
    changes++
    remembered.deleteWhere((key) => keyIds.has(key.keyId))
  }

  const recall = (secret: string): KnownKey | undefined =>
    performance.now() - confirmedAt < trustedMs ? remembered.get(secret) : undefined

  async function look(secret: string, now: number): Promise<KnownKey | undefined> {
    const changesBefore = changes
    const key = await readKey(db.aside, secret, now)
    // What was read before a change that has been heard of since is good for this request, but not for later ones.
    if (key && changes === changesBefore) remembered.set(secret, key)
    return usable(key, now)
  }

  function forgetAll(): void {
    changes++
    remembered.clear()
    // Another server may have given the same numbers to other transactions.
    position = 0
  }

  db.listen(keyChanged, (keyId) => forget(new Set([Number(keyId)])), forgetAll)

  return {
    find(secret, now) {
      const known = recall(secret)
      if (known) return usable(known, now)
      return isWellFormed(secret) ? look(secret, now) : undefined
    },
    holds: (found, now) => recall(found.secret) === found && now < found.expiresAt,
    // Not remembered: a transaction may see what will be undone.
    again: async (db, { secret }, now) => usable(recall(secret) ?? (await readKey(db, secret, now)), now),
    async locked(tx, { secret }, now) {
      await lockManagers(tx)
      return usable(await readKey(tx, secret, now), now)
    },
    forget: (keyId) => forget(new Set([keyId])),
    forgetAll,
    async refresh() {
      const asked = performance.now()
      if (asked - confirmedAt > changesKeptMs) forgetAll()
      const from = position
      const changed = await findChanges(db.aside, from)
      forget(new Set([...changed.found].filter(([id]) => !changesSeen.has(id)).map(([, keyId]) => keyId)))
      changesSeen = changed.found
      // Unless everything was forgotten meanwhile.
      if (position === from) position = changed.position
      confirmedAt = asked
    },
  }
}

const usable = (key: KnownKey | undefined, now: number): KnownKey | undefined =>
  key && now < key.expiresAt ? key : undefined

/** The key with this secret as the database has it, unless it was revoked. */
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
