import { validationFailed } from '../api/errors.ts'
import { type AdmittedCaller, type Caller, lacksScope, ok, type Route, read } from '../api/operation.ts'
import type { Queryable } from '../db/database.ts'
import { banAt } from '../keys/directory.ts'
import { getKey } from '../keys/get.ts'
import type { Plan } from '../keys/plans.ts'
import { showBan } from '../keys/show.ts'
import type { Id } from '../lib/int64.ts'
import { type Used, type WindowState, windowStates } from '../limits/limiter.ts'
import { nothing, type UsageCounter } from './counter.ts'
import type { UsageOperations } from './operations.ts'
import { rangeOf } from './range.ts'
import { allKeys, findUsage, type UsageRow } from './store.ts'

/** The caller's scopes and the state of its limits. */
const showLimits = (caller: AdmittedCaller, used: Used, now: number) => ({
  keyId: caller.keyId,
  plan: caller.plan as Plan,
  scopes: [...caller.scopes],
  windows: windowStates(used, caller.limits, now).map(showWindow),
  ...showBan(banAt(caller, now)),
})

const showWindow = ({ name, limit, remaining, resetAt }: WindowState) => ({
  name,
  limit,
  remaining,
  reset: resetAt / 1000,
})

/** The counts of an hour or a day. */
const showUsage = ({ starts_at, allowed, limited, errors, strikes }: UsageRow) => ({
  from: new Date(starts_at).toISOString(),
  allowed,
  limited,
  errors,
  strikes,
})

export const usageRoutes = (operations: UsageOperations, usage: Pick<UsageCounter, 'flush'>): Route[] => [
  // The gate has already read all of this.
  read(operations.getLimits, async (_, { caller, used, now }) => ok(showLimits(caller, used, now))),

  read(operations.getUsage, async (db, { query, caller, now }) => {
    const { per, first, to, starts } = rangeOf(query, now)
    const keyId = query.allKeys ? checkManager(caller, query.keyId) : await checkAccess(db, caller, query.keyId, now)
    // Flush first, so that a client sees the request it has just made. If that fails, the next flush writes the counts.
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
