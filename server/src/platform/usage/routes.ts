import { validationFailed } from '../api/errors.ts'
import { type Caller, ok, type Route, read } from '../api/operation.ts'
import { lacksScope } from '../api/scopes.ts'
import type { Queryable } from '../db/database.ts'
import { getKey } from '../keys/get.ts'
import type { Id } from '../lib/int64.ts'
import type { UsageCounter } from './counter.ts'
import { nothing } from './counts.ts'
import type { UsageOperations } from './operations.ts'
import { rangeOf } from './range.ts'
import { showLimits, showUsage } from './show.ts'
import { allKeys, findUsage } from './store.ts'

export const usageRoutes = (operations: UsageOperations, usage: Pick<UsageCounter, 'flush'>): Route[] => [
  // The gate has already read all of this.
  read(operations.getLimits, async (_, { caller, used, now }) => ok(showLimits(caller, used, now))),

  read(operations.getUsage, async (db, { query, caller, now }) => {
    const { per, first, to, starts } = rangeOf(query, now)
    const keyId = query.allKeys ? checkManager(caller, query.keyId) : await checkAccess(db, caller, query.keyId, now)
    // Flush first, so that a client sees the request it has just made. If that fails, the next flush writes it.
    await usage.flush().catch(() => undefined)
    const counted = new Map((await findUsage(db, keyId, per, first, to)).map((row) => [row.starts_at, row]))
    return ok(starts.map((start) => showUsage(counted.get(start) ?? { starts_at: start, ...nothing() })))
  }),
]

/** The key to report on: the caller's own, unless it manages keys. */
async function checkAccess(db: Queryable, caller: Caller, given: Id | undefined, now: number): Promise<number> {
  const keyId = given ?? caller.keyId
  if (keyId !== caller.keyId) mustManageKeys(caller)
  return (await getKey(db, keyId, now)).id
}

function checkManager(caller: Caller, keyId: Id | undefined): number {
  if (keyId !== undefined)
    throw validationFailed([{ in: 'query', path: '/keyId', message: 'cannot be combined with allKeys' }])
  mustManageKeys(caller)
  return allKeys
}

function mustManageKeys({ scopes }: Caller): void {
  if (!scopes.has('keys:manage')) {
    throw lacksScope('`keys:manage`, which the usage of another key requires')
  }
}
