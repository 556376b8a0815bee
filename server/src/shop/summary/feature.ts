import { cleanupJob, type Feature } from '../../platform/compose/feature.ts'
import { derived } from '../../platform/db/table.ts'
import { addUpShopCounts, forgetOldCounts } from './counts.ts'
import { forgetOldHours, recordHour } from './hours.ts'
import { getStoreSummary } from './operations.ts'
import { summaryRoutes } from './routes.ts'

/** Often enough that a recorded hour is right to within half a minute. */
const recordHourEveryMs = 30_000

export const summary: Feature = {
  name: 'summary',
  operations: [getStoreSummary],
  routes: summaryRoutes,
  // Triggers count the shop.
  tables: [
    derived('shop_counts'),
    derived('shop_hours'),
    derived('shop_count_changes', { times: { starts_at: 'hour' } }),
  ],
  jobs: ({ db, clock }) => [
    { name: 'add-up-shop-counts', everyMs: 1_000, run: () => addUpShopCounts(db) },
    { name: 'record-shop-hour', everyMs: recordHourEveryMs, run: () => recordHour(db, clock.now()) },
    cleanupJob('delete-old-shop-counts', clock, (now) => forgetOldCounts(db, now)),
    cleanupJob('delete-old-shop-hours', clock, (now) => forgetOldHours(db, now)),
  ],
}
