import type { Database, Queryable } from '../../platform/db/database.ts'
import { forget } from '../../platform/db/forget.ts'
import { dayMs, hourMs } from '../../platform/lib/time.ts'
import { findCounts } from './counts.ts'
import { showSummary } from './show.ts'

// What was there when each hour began, so that it can be compared with now.

const keptMs = 90 * dayMs

const startOfHour = (time: number): number => time - (time % hourMs)

/** Records what is there now, unless that was done in this hour. If no node runs when an hour begins, the first one to run records it. */
export async function recordHour(db: Database, now: number): Promise<void> {
  const start = startOfHour(now)
  const [recorded] = await db.query('SELECT starts_at FROM shop_hours WHERE starts_at = $1', [start])
  if (recorded) return
  await db.transaction(async (tx) => {
    const { openOrders, petsByStatus, lowStock } = showSummary(await findCounts(tx, start), start, 1)
    await tx.query(
      'INSERT INTO shop_hours (starts_at, open_orders, available, low_stock) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
      [start, openOrders, petsByStatus.available, lowStock],
    )
  })
}

interface HourRow {
  open_orders: number
  available: number
  low_stock: number
}

/** The figures of the same hour of the day before, if they were recorded. */
export async function findDayBefore(db: Queryable, now: number) {
  const [row] = await db.query<HourRow>(
    'SELECT open_orders, available, low_stock FROM shop_hours WHERE starts_at = $1',
    [startOfHour(now) - dayMs],
  )
  return row && { dayBefore: { openOrders: row.open_orders, available: row.available, lowStock: row.low_stock } }
}

/** Hours are kept for 90 days. */
export const forgetOldHours = (db: Database, now: number): Promise<void> =>
  forget(db, { table: 'shop_hours', key: 'starts_at', isOutdated: (time) => `starts_at < ${time} - ${keptMs}` }, now)
