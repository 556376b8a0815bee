import { ApiError } from '../api/errors.ts'
import type { Queryable } from '../db/database.ts'
import { lockManagers, type Managers } from './store.ts'

const lastEnd = (managers: Managers): number =>
  Math.max(0, ...managers.map(({ expires_at }) => expires_at ?? Number.POSITIVE_INFINITY))

/** However keys are changed, somebody can manage them for as long as before. */
export async function mustStayManaged(tx: Queryable, before: Managers): Promise<void> {
  if (lastEnd(await lockManagers(tx)) < lastEnd(before)) throw new ApiError('last_admin_key')
}

/** Whether nobody could manage keys without this one. */
export function isOnlyManager(managers: Managers, id: number, now: number): boolean {
  const live = managers.filter(({ expires_at }) => expires_at === null || expires_at > now)
  return live.length === 1 && live[0]?.id === id
}
