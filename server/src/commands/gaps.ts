import type { Database, Queryable } from '../platform/db/database.ts'
import { findOrderGaps, type OrderGaps, repairOrders } from '../shop/orders/gaps.ts'
import { findMovementGaps, type MovementGap, repairMovements } from '../shop/pets/movement-gaps.ts'
import { countWrongCounts, repairCounts } from '../shop/pets/recount.ts'
import { countWrongShopCounts, repairShopCounts } from '../shop/summary/recount.ts'

/** Changes that were written without their stock movement, history, event or count. */
interface Gaps extends OrderGaps {
  /** Pets whose stock movements do not add up to their stock. */
  readonly movements: readonly MovementGap[]
  /** How many pet counts are wrong. */
  readonly counts: number
  /** How many counts of open orders and stock are wrong. */
  readonly shopCounts: number
}

const findGaps = async (db: Queryable): Promise<Gaps> => ({
  ...(await findOrderGaps(db)),
  movements: await findMovementGaps(db),
  counts: await countWrongCounts(db),
  shopCounts: await countWrongShopCounts(db),
})

function describe({
  withoutHistory,
  withoutCompletion,
  deleted,
  withoutEvent,
  movements,
  counts,
  shopCounts,
}: Gaps): string[] {
  const found: [number, string][] = [
    [withoutHistory.length + withoutCompletion.length + deleted.length, 'orders with an incomplete history'],
    [withoutEvent.length, 'orders without an order.placed event'],
    [movements.length, 'pets whose stock history does not add up to their stock'],
    [counts, 'wrong pet counts'],
    [shopCounts, 'wrong counts of open orders or stock'],
  ]
  return found.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
}

/** Describes each kind of gap; empty if there are none. */
export const describeGaps = async (db: Queryable): Promise<string[]> => describe(await findGaps(db))

/** Writes what is missing, in one transaction, and describes what it was. */
export function repairGaps(db: Database, now: number): Promise<string[]> {
  return db.exclusively(async (tx) => {
    const gaps = await findGaps(tx)
    repairOrders(tx, gaps, now)
    repairMovements(tx, gaps.movements, now)
    if (gaps.counts > 0) await repairCounts(tx)
    if (gaps.shopCounts > 0) await repairShopCounts(tx)
    return describe(gaps)
  })
}
