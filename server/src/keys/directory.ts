import type { Scope } from '../api/scopes.ts'
import type { Database } from '../db/database.ts'
import type { Plan } from '../db/tables.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Limits } from '../limits/windows.ts'
import { hashSecret, isWellFormed } from './secret.ts'
import { findChangedKeys, findKeyBySecret, keyChanged } from './store.ts'

export interface KnownKey {
  readonly keyId: number
  readonly plan: Plan
  readonly limits: Limits
  readonly scopes: ReadonlySet<Scope>
  /** When this secret, or the whole key, stops working. */
  readonly expiresAt: number
  ban: { until: number; level: number } | undefined
}

const rememberedMax = 10_000
/** How far back a look for changes goes: more than a transaction may last or clocks of nodes may differ. */
const changesSeenMs = 30_000
/** What is remembered counts only while the database was heard from within this time: revocation fails closed. */
const trustedMs = 1_000

export interface KeyDirectory {
  /** The key that has this secret and may be used now. */
  find(secret: string, now: number): Promise<KnownKey | undefined>
  forgetAll(): void
  /** Looks for changes that were not heard of. */
  refresh(now: number): Promise<void>
}

/** Keys by the hash of their secret, remembered until something about them changes. */
export function createKeyDirectory(db: Database): KeyDirectory {
  const remembered = new BoundedMap<string, KnownKey>(rememberedMax)
  let changes = 0
  let confirmedAt = performance.now()

  // All of them in one walk over what is remembered, however many keys have changed.
  function forget(keyIds: ReadonlySet<number>): void {
    if (keyIds.size === 0) return
    changes++
    remembered.deleteWhere((key) => keyIds.has(key.keyId))
  }

  async function look(hash: string, now: number): Promise<KnownKey | undefined> {
    const changesBefore = changes
    const row = await findKeyBySecret(db.aside, hash, now)
    if (!row) return undefined
    const known: KnownKey = {
      keyId: row.id,
      plan: row.plan,
      limits: { perMinute: row.per_minute, perDay: row.per_day },
      scopes: new Set(row.scopes.split(' ') as Scope[]),
      expiresAt: Math.min(
        row.expires_at ?? Number.POSITIVE_INFINITY,
        row.secret_expires_at ?? Number.POSITIVE_INFINITY,
      ),
      ban: row.ban_until === null ? undefined : { until: row.ban_until, level: row.ban_level ?? 1 },
    }
    // What was read before a change that has been heard of since is good for this request, but not for later ones.
    if (changes === changesBefore) remembered.set(hash, known)
    return known
  }

  function forgetAll(): void {
    changes++
    remembered.clear()
  }

  db.listen(keyChanged, (keyId) => forget(new Set([Number(keyId)])), forgetAll)

  return {
    async find(secret, now) {
      const hash = hashSecret(secret)
      const trusted = performance.now() - confirmedAt < trustedMs
      const key =
        (trusted ? remembered.get(hash) : undefined) ?? (isWellFormed(secret) ? await look(hash, now) : undefined)
      return key && now < key.expiresAt ? key : undefined
    },
    forgetAll,
    async refresh(now) {
      const asked = performance.now()
      forget(await findChangedKeys(db.aside, now - changesSeenMs))
      confirmedAt = asked
    },
  }
}
