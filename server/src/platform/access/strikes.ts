import type { Database } from '../db/database.ts'
import { banLifted } from '../keys/announce.ts'
import { banKey } from '../keys/ban.ts'
import { banAt, banOf, type KeyDirectory, type KnownKey, strikesAllowed } from '../keys/directory.ts'
import { keySubject } from '../keys/plans.ts'
import type { Ban } from '../keys/store.ts'
import type { Limiter } from '../limits/limiter.ts'

interface Dependencies {
  readonly db: Database
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  /** Called when a ban could not be stored. */
  readonly banFailed: (error: unknown) => void
  /** Called when a key has been banned. */
  readonly onBan: () => void
}

/** Bans keys that keep calling after 429. */
export function createStrikes({ db, directory, limiter, banFailed, onBan }: Dependencies) {
  const banning = new Map<number, Promise<Ban | undefined>>()
  const forgetStrikes = (keyId: number) => limiter.forgetStrikes(keySubject(keyId))
  db.listen(banLifted, (keyId) => void forgetStrikes(Number(keyId)))

  async function imposeBan(keyId: number, now: number): Promise<Ban | undefined> {
    try {
      const { key, isNew } = await db.transaction((tx) => banKey(tx, { now }, keyId))
      void forgetStrikes(keyId)
      if (isNew) onBan()
      return banOf(key)
    } catch (error) {
      // This request is rejected either way; the next one tries again.
      banFailed(error)
      return undefined
    } finally {
      banning.delete(keyId)
    }
  }

  /** Returns the ban of a rejected key: the one in force, or a new one if it has too many strikes. */
  return async function banAfterStrikes(key: KnownKey, strikes: number, now: number): Promise<Ban | undefined> {
    const { keyId, limits } = key
    const current = await directory.reload(db, key, now).catch(() => undefined)
    const ban = current && banAt(current, now)
    if (ban) return ban
    if (strikes <= strikesAllowed(limits.perMinute)) return undefined
    // Concurrent requests over the allowance share one ban.
    const imposed = banning.get(keyId) ?? imposeBan(keyId, now)
    banning.set(keyId, imposed)
    return imposed
  }
}
