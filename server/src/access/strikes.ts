import type { Database } from '../db/database.ts'
import { banLifted } from '../keys/announce.ts'
import { banKey } from '../keys/ban.ts'
import { type Ban, banAt, banOf, strikesAllowed } from '../keys/bans.ts'
import type { KeyDirectory, KnownKey } from '../keys/directory.ts'
import { keySubject } from '../keys/subjects.ts'
import type { Limiter } from '../limits/limiter.ts'

interface Parts {
  readonly db: Database
  readonly directory: KeyDirectory
  readonly limiter: Limiter
  /** Told of a ban that could not be stored. */
  readonly banFailed: (error: unknown) => void
}

/** What becomes of a key whose requests are refused: too many strikes ban it. */
export function createStrikes({ db, directory, limiter, banFailed }: Parts) {
  const banning = new Map<number, Promise<Ban | undefined>>()
  const forget = (keyId: number) => limiter.forgetStrikes(keySubject(keyId))
  db.listen(banLifted, (keyId) => void forget(Number(keyId)))

  async function impose(keyId: number, now: number): Promise<Ban | undefined> {
    try {
      const ban = banOf(await db.transaction((tx) => banKey(tx, { now }, keyId)))
      void forget(keyId)
      return ban
    } catch (error) {
      // It does not change that this request is over the limit; the next one tries again.
      banFailed(error)
      return undefined
    } finally {
      banning.delete(keyId)
    }
  }

  /** The ban that a refused request brought upon its key, or one that came along with it did. */
  return async function banAfter(key: KnownKey, strikes: number, now: number): Promise<Ban | undefined> {
    const { keyId, limits } = key
    const current = await directory.reload(db, key, now).catch(() => undefined)
    const ban = current && banAt(current, now)
    if (ban) return ban
    if (strikes <= strikesAllowed(limits.perMinute)) return undefined
    // One for all the requests that pass the allowance together.
    const imposed = banning.get(keyId) ?? impose(keyId, now)
    banning.set(keyId, imposed)
    return imposed
  }
}
