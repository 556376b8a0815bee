import { ApiError } from '../api/errors.ts'
import { type Caller, ok, type Route, read } from '../api/operation.ts'
import { foundKey } from '../keys/found.ts'
import type { Id } from '../lib/int64.ts'
import type { UsageCounter } from './counter.ts'
import * as operations from './operations.ts'
import { rangeOf } from './range.ts'
import { showLimits, showUsage } from './show.ts'
import { findUsage } from './store.ts'

export const usageRoutes = (usage: Pick<UsageCounter, 'flush'>): Route[] => [
  // The gate has asked for all of it already.
  read(operations.getLimits, async (_, { caller, used, now }) => ok(showLimits(caller, used, now))),

  read(operations.getUsage, async (db, { query, caller, now }) => {
    const { per, first, to, starts } = rangeOf(query, now)
    const key = await foundKey(db, visibleTo(caller, query.keyId), now)
    // Written first, so that a client finds the request it has just made. If it cannot be written now, it will be with the
    // next flush, and reading goes on.
    await usage.flush().catch(() => undefined)
    const counted = new Map((await findUsage(db, key.id, per, first, to)).map((row) => [row.starts_at, row]))
    const nothing = { allowed: 0, limited: 0, errors: 0 }
    return ok(starts.map((start) => showUsage(counted.get(start) ?? { starts_at: start, ...nothing })))
  }),
]

/** The key that is asked about: the caller's own unless it manages keys. */
function visibleTo(caller: Caller, keyId: Id = caller.keyId): Id {
  if (keyId === caller.keyId || caller.scopes.has('keys:manage')) return keyId
  throw new ApiError('insufficient_scope', "Another key's usage needs the scope keys:manage.")
}
