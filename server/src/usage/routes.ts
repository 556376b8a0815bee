import { ApiError, validationFailed } from '../api/errors.ts'
import { ok, type Route, read } from '../api/operation.ts'
import { foundKey } from '../keys/found.ts'
import { dayMs, hourMs } from '../lib/time.ts'
import { windowStart } from '../limits/windows.ts'
import type { UsageCounter } from './counter.ts'
import * as operations from './operations.ts'
import { showLimits, showUsage } from './show.ts'
import { findUsage } from './store.ts'

const lengthMs = { hour: hourMs, day: dayMs }
const shownUnlessAsked = { hour: 24, day: 30 }
const entriesMax = 2_400

export const usageRoutes = (usage: Pick<UsageCounter, 'flush'>): Route[] => [
  // The gate has asked for all of it already: the headers say the same.
  read(operations.getLimits, async (_, { caller }) => ok(showLimits(caller))),

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
    const key = await foundKey(db, keyId, now)

    // Written first, so that a client finds the request it has just made. If it cannot be written now, it will be with the
    // next flush, and reading goes on.
    await usage.flush().catch(() => undefined)
    const counted = new Map((await findUsage(db, key.id, per, first, to)).map((row) => [row.starts_at, row]))
    const entries = []
    for (let start = first; start < to; start += length) {
      entries.push(showUsage(counted.get(start) ?? { starts_at: start, allowed: 0, limited: 0, errors: 0 }))
    }
    return ok(entries)
  }),
]

const queryFault = (path: string, message: string) => validationFailed([{ in: 'query', path, message }])
