import { addUp } from '../../platform/db/add-up.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { forget } from '../../platform/db/forget.ts'
import { dayMs } from '../../platform/lib/time.ts'
import { lowStockMaxSql } from '../pets/low-stock.ts'
import type { PetStatus } from '../pets/status.ts'

// Triggers log each change in shop_count_changes. A count is the sum in shop_counts plus the changes since.

/** The row of what is there now: no hour starts then. */
export const current = -1
const hoursKeptMs = 90 * dayMs

/** The counts of an hour or, at -1, of what is there now; or the number of pets with a status. */
export interface CountRow {
  readonly starts_at: number
  readonly open_orders: number
  readonly placed: number
  readonly completed: number
  readonly cancelled: number
  readonly units: number
  readonly in_stock: number
  readonly well_stocked: number
  /** The count up to which stock is low; the same in all rows. */
  readonly low_stock_max: number
  readonly status: PetStatus | null
  readonly pets: number
}

const columns = ['open_orders', 'placed', 'completed', 'cancelled', 'units', 'in_stock', 'well_stocked'] as const
const listed = columns.join(', ')
const sums = columns.map((column) => `CAST(sum(${column}) AS bigint) AS ${column}`).join(', ')

const countsSql = `SELECT starts_at, ${sums}, ${lowStockMaxSql} AS low_stock_max, NULL AS status, 0 AS pets FROM (
    SELECT starts_at, ${listed} FROM shop_counts WHERE starts_at = ${current}
    UNION ALL SELECT starts_at, ${listed} FROM shop_counts WHERE starts_at >= $1
    UNION ALL SELECT starts_at, ${listed} FROM shop_count_changes WHERE id > 0 AND (starts_at = ${current} OR starts_at >= $1)
  ) AS counted GROUP BY starts_at
  UNION ALL SELECT ${current}, ${columns.map(() => '0').join(', ')}, ${lowStockMaxSql}, status, CAST(sum(pets) AS bigint) FROM (
    SELECT status, pets FROM pet_counts WHERE category_id = 0
    UNION ALL SELECT status, pets FROM pet_count_changes WHERE id > 0
  ) AS by_status GROUP BY status`

/** All counts from an hour on, in one statement, so that they agree with each other. */
export const findCounts = async (db: Queryable, from: number): Promise<CountRow[]> => db.query(countsSql, [from])

const addSql = `INSERT INTO shop_counts (starts_at, ${listed}) VALUES ($1, ${columns.map((_, index) => `$${index + 2}`).join(', ')})
  ON CONFLICT (starts_at) DO UPDATE SET ${columns.map((column) => `${column} = shop_counts.${column} + excluded.${column}`).join(', ')}`

type Change = Pick<CountRow, 'starts_at' | (typeof columns)[number]>

export const addUpShopCounts = (db: Database): Promise<void> =>
  addUp(db, { table: 'shop_count_changes', columns: `starts_at, ${listed}`, add })

async function add(tx: Transaction, changes: readonly Change[]): Promise<void> {
  for (const [start, ofHour] of Map.groupBy(changes, ({ starts_at }) => starts_at)) {
    const total = (column: (typeof columns)[number]) => ofHour.reduce((sum, change) => sum + change[column], 0)
    await tx.query(addSql, [start, ...columns.map(total)])
  }
}

/** Hours are kept for 90 days. */
export const forgetOldCounts = (db: Database, now: number): Promise<void> =>
  forget(
    db,
    {
      table: 'shop_counts',
      key: 'starts_at',
      isOutdated: (time) => `starts_at > ${current} AND starts_at < ${time} - ${hoursKeptMs}`,
    },
    now,
  )
