import type { Database, Queryable } from '../../platform/db/database.ts'
import { forget } from '../../platform/db/forget.ts'
import { placeholderList } from '../../platform/db/many.ts'
import { dayMs, hourMs } from '../../platform/lib/time.ts'
import { lowStockMaxSql } from '../pets/low-stock.ts'
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
    const { openOrders, petsByStatus, lowStock, lowStockMax } = showSummary(await findCounts(tx, start), start, 1)
    await tx.query(
      `INSERT INTO shop_hours (starts_at, open_orders, available, low_stock, low_stock_max) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [start, openOrders, petsByStatus.available, lowStock, lowStockMax],
    )
  })
}

interface HourRow {
  starts_at: number
  open_orders: number
  available: number
  low_stock: number | null
}

/**
 * The figures of the same hour on earlier days, by how many days before, as far as they were recorded. Low stock only if the same counts as
 * low now.
 */
export async function findHoursBefore(db: Queryable, now: number, days: readonly number[]) {
  const start = startOfHour(now)
  const rows = await db.query<HourRow>(
    `SELECT starts_at, open_orders, available, CASE WHEN low_stock_max = ${lowStockMaxSql} THEN low_stock END AS low_stock
     FROM shop_hours WHERE starts_at IN (${placeholderList(days.length)})`,
    days.map((before) => start - before * dayMs),
  )
  return new Map(
    rows.map(({ starts_at, open_orders, available, low_stock }) => [
      (start - starts_at) / dayMs,
      { openOrders: open_orders, available, ...(low_stock !== null && { lowStock: low_stock }) },
    ]),
  )
}

/** Hours are kept for 90 days. */
export const forgetOldHours = (db: Database, now: number): Promise<void> =>
  forget(db, { table: 'shop_hours', key: 'starts_at', isOutdated: (time) => `starts_at < ${time} - ${keptMs}` }, now)
