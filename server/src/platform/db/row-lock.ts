import { type Awaitable, after, firstOf } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'
import type { RowLock, Transaction, Value } from './database.ts'

/** Locks the row with this id, if it exists, and reads it. */
export const lockRow = <Row>(tx: Transaction, lock: RowLock<Row>, id: Id): Awaitable<Row | undefined> =>
  firstOf(lockRows(tx, lock, '= $1', [id]))

/** Locks the rows whose id matches an SQL condition, in order of id, and reads them. */
export function lockRows<Row>(
  tx: Transaction,
  { table, select, toRow }: RowLock<Row>,
  condition: string,
  params: readonly Value[],
): Awaitable<Row[]> {
  const lock = tx.dialect.lockRows(table, condition)
  if (lock !== undefined) tx.send(lock, params)
  // A separate statement, to see what was committed while the first one waited for the lock.
  return after(tx.query<never>(`${select} ${condition}`, params), (rows) => rows.map(toRow))
}
