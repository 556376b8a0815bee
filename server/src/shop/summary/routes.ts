import { ok, type Route, read } from '../../platform/api/operation.ts'
import { hourMs } from '../../platform/lib/time.ts'
import { findAttention } from './attention.ts'
import { findCounts } from './counts.ts'
import { findDayBefore } from './hours.ts'
import { getStoreSummary, hoursDefault } from './operations.ts'
import { showSummary } from './show.ts'

export const summaryRoutes: Route[] = [
  read(getStoreSummary, async (db, { query: { hours = hoursDefault }, caller, now }) => {
    const from = now - (now % hourMs) - (hours - 1) * hourMs
    return ok({
      ...showSummary(await findCounts(db, from), from, hours),
      ...(await findDayBefore(db, now)),
      ...(await findAttention(db, caller, now)),
    })
  }),
]
