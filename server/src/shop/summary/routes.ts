import { type Caller, ok, type Route, read } from '../../platform/api/operation.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { showKey } from '../../platform/keys/show.ts'
import { findBannedKeys } from '../../platform/keys/store.ts'
import { hourMs } from '../../platform/lib/time.ts'
import { showWebhook } from '../../platform/webhooks/show.ts'
import { findFailing } from '../../platform/webhooks/store.ts'
import { findCounts } from './counts.ts'
import { findDayBefore } from './hours.ts'
import { attentionMax, getStoreSummary, hoursDefault } from './operations.ts'
import { showSummary } from './show.ts'

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
  read(getStoreSummary, async (db, { query: { hours = hoursDefault }, caller, now }) => {
    const from = now - (now % hourMs) - (hours - 1) * hourMs
    return ok({
      ...showSummary(await findCounts(db, from), from, hours),
      ...(await findDayBefore(db, now)),
      ...(await findAttention(db, caller, now)),
    })
  }),
]
