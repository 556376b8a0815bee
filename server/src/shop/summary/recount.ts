import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { lowStockMaxSql } from '../pets/low-stock.ts'
import { current } from './counts.ts'

const stored = (column: string) =>
  `coalesce((SELECT sum(${column}) FROM (SELECT ${column} FROM shop_counts UNION ALL SELECT ${column} FROM shop_count_changes) AS saved), 0)`

/** How far the stored counts of what is there now are off. Scans all open orders and inventory items. */
const differences = `SELECT ${current} AS starts_at,
    CAST((SELECT count(*) FROM orders WHERE complete = 0) - ${stored('open_orders')} AS bigint) AS open_orders,
    CAST((SELECT count(*) FROM inventory WHERE quantity > 0) - ${stored('in_stock')} AS bigint) AS in_stock,
    CAST((SELECT count(*) FROM inventory WHERE quantity > ${lowStockMaxSql}) - ${stored('well_stocked')} AS bigint) AS well_stocked`

export async function countWrongShopCounts(db: Queryable): Promise<number> {
  const [{ starts_at: _, ...off } = {}] = await db.query<Record<string, number>>(differences)
  return Object.values(off).filter((difference) => difference !== 0).length
}

/** Corrects the counts in one statement, so that a concurrent change is on both sides or on neither. */
export async function repairShopCounts(tx: Transaction): Promise<void> {
  await tx.query(
    `INSERT INTO shop_counts (starts_at, open_orders, in_stock, well_stocked) SELECT * FROM (${differences}) AS missing WHERE TRUE
     ON CONFLICT (starts_at) DO UPDATE SET open_orders = shop_counts.open_orders + excluded.open_orders,
       in_stock = shop_counts.in_stock + excluded.in_stock, well_stocked = shop_counts.well_stocked + excluded.well_stocked`,
  )
}
