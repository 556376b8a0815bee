import { unauthorized } from '../access/refusals.ts'
import { ok, type Route, read } from '../api/operation.ts'
import { showBan } from '../keys/show.ts'
import { findKey } from '../keys/store.ts'
import { keySubject, type Limiter } from '../limits/limiter.ts'
import { windowStates } from '../limits/windows.ts'
import * as operations from './limits-operations.ts'

export const limitRoutes = (limiter: Limiter): Route[] => [
  read(operations.getLimits, async (db, { caller, now }) => {
    const key = await findKey(db.aside, caller.keyId, now)
    if (!key) throw unauthorized('invalid_api_key')
    const used = await limiter.used(keySubject(key.id), now)
    const windows = windowStates(used, { perMinute: key.per_minute, perDay: key.per_day }, now)
    return ok({
      plan: key.plan,
      windows: windows.map(({ name, limit, remaining, resetAt }) => ({
        name,
        limit,
        remaining,
        reset: resetAt / 1000,
      })),
      ...showBan(key),
    })
  }),
]
