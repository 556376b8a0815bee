import type { Database } from '../db/database.ts'
import type { Plan } from '../db/tables.ts'
import type { Scope } from '../http/scopes.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Limits } from '../limits/windows.ts'
import { hashSecret, isWellFormed } from './secret.ts'
import { findKeyBySecret, keyChanged } from './store.ts'

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

export interface KeyDirectory {
  /** The key that has this secret and may be used now. */
  find(secret: string, now: number): Promise<KnownKey | undefined>
  forget(keyId: number): void
  forgetAll(): void
}

/** Keys by the hash of their secret, remembered until something about them changes. */
export function createKeyDirectory(db: Database): KeyDirectory {
  const remembered = new BoundedMap<string, KnownKey>(rememberedMax)
  let changes = 0

  function forget(keyId: number): void {
    changes++
    remembered.deleteWhere((key) => key.keyId === keyId)
  }

  async function look(hash: string, now: number): Promise<KnownKey | undefined> {
    const changesBefore = changes
    const row = await findKeyBySecret(db, hash, now)
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

  db.listen(keyChanged, (keyId) => forget(Number(keyId)))

  return {
    async find(secret, now) {
      const hash = hashSecret(secret)
      const key = remembered.get(hash) ?? (isWellFormed(secret) ? await look(hash, now) : undefined)
      return key && now < key.expiresAt ? key : undefined
    },
    forget,
    forgetAll() {
      changes++
      remembered.clear()
    },
  }
}
