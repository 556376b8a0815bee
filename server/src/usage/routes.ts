import { ApiError, validationFailed } from '../api/errors.ts'
import { ok, type Route, read } from '../api/operation.ts'
import { findKey } from '../keys/store.ts'
import { dayMs, hourMs, windowStart } from '../limits/windows.ts'
import type { UsageCounter } from './counter.ts'
import * as operations from './operations.ts'
import { findUsage } from './store.ts'

const lengthMs = { hour: hourMs, day: dayMs }
const shownUnlessAsked = { hour: 24, day: 30 }
const entriesMax = 2_400

/** What this node has counted is written first, so that a client finds the request it has just made. */
export const usageRoutes = (usage: Pick<UsageCounter, 'flush'>): Route[] => [
  read(operations.getUsage, async (db, { query, caller, now }) => {
    const { per = 'hour', keyId = caller.keyId } = query
    const length = lengthMs[per]
    // Unless told otherwise, up to and including this very millisecond.
    const to = query.to ?? now + 1
    if (query.from !== undefined && query.from > to) throw queryFault('/from', 'must not be after to')
    const first = windowStart(query.from ?? to - 1 - (shownUnlessAsked[per] - 1) * length, length)
    if ((to - first) / length > entriesMax) throw queryFault('/from', `must be at most ${entriesMax} ${per}s before to`)

    if (keyId !== caller.keyId && !caller.scopes.has('keys:manage')) {
      throw new ApiError('insufficient_scope', "Another key's usage needs the scope keys:manage.")
    }
    const key = await findKey(db, keyId, now)
    if (!key) throw new ApiError('key_not_found', `There is no key ${keyId}.`)

    // If it cannot be written now, it will be with the next flush, and reading goes on.
    await usage.flush().catch(() => undefined)
    const rows = new Map((await findUsage(db, key.id, per, first, to)).map((row) => [row.starts_at, row]))
    const entries = []
    for (let start = first; start < to; start += length) {
      const { allowed, limited, errors } = rows.get(start) ?? { allowed: 0, limited: 0, errors: 0 }
      entries.push({ from: new Date(start).toISOString(), allowed, limited, errors })
    }
    return ok(entries)
  }),
]

const queryFault = (path: string, message: string) => validationFailed([{ in: 'query', path, message }])
