import { ApiError } from '../api/errors.ts'
import type { Queryable } from '../db/database.ts'
import { keyErrors } from './operations.ts'
import { lockManagers, type Managers } from './store.ts'

const lastExpiry = (managers: Managers): number =>
  Math.max(0, ...managers.map(({ expires_at }) => expires_at ?? Number.POSITIVE_INFINITY))

/** Rejects a change after which keys could be managed for a shorter time than before. */
export async function requireManager(tx: Queryable, before: Managers, id: number): Promise<void> {
  if (lastExpiry(await lockManagers(tx)) >= lastExpiry(before)) return
  const what =
    before.length === 1
      ? `Key ${id} is the last with \`keys:manage\`.`
      : `No other key with \`keys:manage\` lasts as long as key ${id}.`
  throw new ApiError(keyErrors.last_admin_key, what)
}

/** Whether this is the only key that can manage keys. */
export function isOnlyManager(managers: Managers, id: number, now: number): boolean {
  const live = managers.filter(({ expires_at }) => expires_at === null || expires_at > now)
  return live.length === 1 && live[0]?.id === id
}
