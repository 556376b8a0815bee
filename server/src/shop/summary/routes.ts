import { type Caller, ok, type Route, read } from '../../platform/api/operation.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { showKey } from '../../platform/keys/show.ts'
import { findBannedKeys } from '../../platform/keys/store.ts'
import { dayMs, hourMs } from '../../platform/lib/time.ts'
import { showWebhook } from '../../platform/webhooks/show.ts'
import { findFailing } from '../../platform/webhooks/store.ts'
import { type CountRow, findCounts } from './counts.ts'
import { findHoursBefore } from './hours.ts'
import { attentionMax, getStoreSummary, hoursDefault } from './operations.ts'
import { showDays, showSummary } from './show.ts'

/** The banned keys and failing webhooks that the caller may see. */
async function findAttention(db: Queryable, { keyId, scopes }: Caller, now: number) {
  const isManager = scopes.has('keys:manage')
  return {
    ...(isManager && { bannedKeys: (await findBannedKeys(db, now, attentionMax)).map(showKey) }),
    ...((isManager || scopes.has('webhooks:manage')) && {
      failingWebhooks: (await findFailing(db, isManager ? undefined : keyId, attentionMax)).map(showWebhook),
    }),
  }
}

export const summaryRoutes: Route[] = [
  read(getStoreSummary, async (db, { query: { hours = hoursDefault, days }, caller, now }) => {
    const end = now - (now % hourMs) + hourMs
    const from = end - hours * hourMs
    const rows = await findCounts(db, Math.min(from, end - 2 * (days ?? 0) * dayMs))
    const before = await findHoursBefore(db, now, days === undefined ? [1] : [1, days, 2 * days])
    const dayBefore = before.get(1)
    return ok({
      ...showSummary(rows, from, hours),
      ...(dayBefore && { dayBefore }),
      ...(days !== undefined && { days: showDays(rows, end, days), ...compareDays(rows, before, end, days) }),
      ...(await findAttention(db, caller, now)),
    })
  }),
]

/** What some days are compared with, as far as it was recorded. */
function compareDays(
  rows: readonly CountRow[],
  before: Awaited<ReturnType<typeof findHoursBefore>>,
  end: number,
  days: number,
) {
  const start = before.get(days)
  if (!start) return {}
  const unitsSold = showDays(rows, end - days * dayMs, days).reduce((sum, day) => sum + day.unitsSold, 0)
  return { daysBefore: { ...start, ...(before.has(2 * days) && { unitsSold }) } }
}
