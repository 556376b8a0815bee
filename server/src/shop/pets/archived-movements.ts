import type { Insert, Queryable, Transaction } from '../../platform/db/database.ts'
import { byHundreds } from '../../platform/db/many.ts'
import { type MovementRow, recordMovements } from './movements.ts'

// The stock movements of archived orders. Each pet that has some gets one movement in their place, its opening balance, so that its
// movements still add up to its stock.

export interface ArchivedMovement extends MovementRow {
  readonly id: number
}

const intoMovements: Insert<ArchivedMovement> = {
  table: 'stock_movements',
  columns: ['id', 'pet_id', 'delta', 'cause', 'order_id', 'reason', 'at', 'by_key_id'],
}
const columns = intoMovements.columns.join(', ')
const isOfOrder = "cause IN ('ordered', 'order changed', 'cancelled')"

/** When an order may have moved the stock of its pet. */
export interface OrderMoment {
  readonly pet_id: number
  readonly at: number
  readonly order_id: number
}

/** What these orders moved, in no order. */
export async function findOrderMovements(db: Queryable, moments: readonly OrderMoment[]): Promise<ArchivedMovement[]> {
  const found: ArchivedMovement[] = []
  for (const batch of byHundreds(moments)) {
    // SQLite takes the tables of a CROSS JOIN in this order.
    const rows = await db.query<ArchivedMovement>(
      `SELECT ${columns} FROM (VALUES ${integers(batch.length, 3)}) AS moments CROSS JOIN stock_movements
       WHERE pet_id = column1 AND at = column2 AND order_id = column3 AND ${isOfOrder}`,
      batch.flatMap(({ pet_id, at, order_id }) => [pet_id, at, order_id]),
    )
    found.push(...rows)
  }
  return found
}

/** Moves them into the opening balances. Returns what was there. */
export async function takeMovements(
  tx: Transaction,
  movements: readonly ArchivedMovement[],
  before: number,
): Promise<ArchivedMovement[]> {
  const taken: ArchivedMovement[] = []
  for (const batch of byHundreds(movements)) {
    const rows = await tx.query<ArchivedMovement>(
      `DELETE FROM stock_movements WHERE (pet_id, at, id) IN (VALUES ${integers(batch.length, 3)}) AND ${isOfOrder} RETURNING ${columns}`,
      batch.flatMap(({ pet_id, at, id }) => [pet_id, at, id]),
    )
    taken.push(...rows)
  }
  await addToOpeningBalances(tx, sumByPet(taken, 1), before)
  return taken
}

/** Moves them out of the opening balances. */
export async function returnMovements(
  tx: Transaction,
  movements: readonly ArchivedMovement[],
  before: number,
): Promise<void> {
  tx.insert(intoMovements, movements)
  await addToOpeningBalances(tx, sumByPet(movements, -1), before)
}

function sumByPet(movements: readonly ArchivedMovement[], sign: 1 | -1): [petId: number, delta: number][] {
  const sums = new Map<number, number>()
  for (const { pet_id, delta } of movements) sums.set(pet_id, (sums.get(pet_id) ?? 0) + sign * delta)
  return [...sums].filter(([, delta]) => delta !== 0)
}

async function addToOpeningBalances(
  tx: Transaction,
  sums: readonly (readonly [petId: number, delta: number])[],
  before: number,
): Promise<void> {
  const missing = new Map(sums)
  for (const batch of byHundreds(sums)) {
    const last = `$${batch.length * 2 + 1}`
    const changed = await tx.query<{ pet_id: number }>(
      `UPDATE stock_movements SET delta = delta + column2, at = CASE WHEN at < ${last} THEN ${last} ELSE at END
       FROM (VALUES ${integers(batch.length, 2)}) AS sums WHERE pet_id = column1 AND cause = 'archived' RETURNING pet_id`,
      [...batch.flat(), before],
    )
    for (const { pet_id } of changed) missing.delete(pet_id)
    await tx.query(
      `DELETE FROM stock_movements WHERE cause = 'archived' AND delta = 0 AND pet_id IN (VALUES ${integers(batch.length, 1)})`,
      batch.map(([petId]) => petId),
    )
  }
  recordMovements(
    tx,
    [...missing].map(([petId, delta]) => [petId, { delta, cause: 'archived', origin: { now: before } }]),
  )
}

/** `(CAST($1 AS bigint), …), …`: the placeholders of rows of integers. PostgreSQL would take them for text. */
const integers = (rows: number, columns: number): string =>
  Array.from({ length: rows }, (_, row) => {
    const values = Array.from({ length: columns }, (_, column) => `CAST($${row * columns + column + 1} AS bigint)`)
    return `(${values.join(', ')})`
  }).join(', ')
