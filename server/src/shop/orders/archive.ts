import type { Database, Insert, Queryable, Transaction } from '../../platform/db/database.ts'
import {
  type ArchivedMovement,
  findOrderMovements,
  type OrderMoment,
  returnMovements,
  takeMovements,
} from '../pets/archived-movements.ts'
import { intoOrders, type OrderHistoryRow, type OrderRow } from './store.ts'

// Moves old orders out of the database and back. Only completed and cancelled ones: they never change again, so what was read before
// the transaction that removes them is what it removes.

interface HistoryRow extends OrderHistoryRow {
  readonly order_id: number
  readonly key_id: number
}

/** An order with all of its rows. */
export interface ArchivedOrder {
  readonly id: number
  /** Null if it was cancelled. */
  readonly order: OrderRow | null
  readonly history: readonly HistoryRow[]
  readonly movements: readonly ArchivedMovement[]
}

/** How many orders, lines of history and stock movements. */
export interface RowCounts {
  readonly orders: number
  readonly history: number
  readonly movements: number
}

const intoHistory: Insert<HistoryRow> = {
  table: 'order_history',
  columns: ['id', 'order_id', 'key_id', 'kind', 'changes', 'at', 'by_key_id'],
}
const orderColumns = intoOrders.columns.join(', ')
const historyColumns = intoHistory.columns.join(', ')

interface Search {
  /** The last order that was looked at. */
  readonly after: number
  /** When the last change must have been made. */
  readonly before: number
  /** How many lines of the history to read, if one order does not have more. */
  readonly lines: number
}

export interface FoundOrders {
  readonly orders: readonly ArchivedOrder[]
  /** Orders that are old enough, but whose rows contradict each other. */
  readonly contradictory: number
  /** The last order that was looked at; undefined if no later one can be old enough. */
  readonly last: number | undefined
}

/** The next orders that can be archived. */
export async function findOldOrders(db: Queryable, search: Search): Promise<FoundOrders> {
  const { histories, isLast } = await readHistories(db, search)
  const old = histories.filter((lines) => isDone(lines) && lines.every(({ at }) => at < search.before))
  const all = await readOrders(db, old)
  const orders = all.filter(isConsistent)
  // Ids follow the time of placing, up to the seconds that clocks and transactions differ.
  const areAllNew = histories.every(([first]) => first !== undefined && first.at >= search.before)
  const last = isLast || areAllNew ? undefined : histories.at(-1)?.[0]?.order_id
  return { orders, contradictory: all.length - orders.length, last }
}

type History = readonly HistoryRow[]

async function readHistories(
  db: Queryable,
  { after, lines }: Search,
): Promise<{ histories: History[]; isLast: boolean }> {
  for (let limit = lines; ; limit *= 2) {
    const rows = await db.query<HistoryRow>(
      `SELECT ${historyColumns} FROM order_history WHERE order_id > $1 ORDER BY order_id, id LIMIT ${limit}`,
      [after],
    )
    const histories = [...Map.groupBy(rows, ({ order_id }) => order_id).values()]
    if (rows.length < limit) return { histories, isLast: true }
    // The last one may have more lines.
    if (histories.length > 1) return { histories: histories.slice(0, -1), isLast: false }
  }
}

const wasPlacedComplete = ({ kind, changes }: HistoryRow): boolean =>
  kind === 'placed' && JSON.parse(changes).complete?.to === true

function isDone(lines: History): boolean {
  const last = lines.at(-1)
  return last !== undefined && (['completed', 'cancelled'].includes(last.kind) || wasPlacedComplete(last))
}

async function readOrders(db: Queryable, histories: readonly History[]): Promise<ArchivedOrder[]> {
  const history = histories.flat()
  const ids = [...new Set(history.map(({ order_id }) => order_id))]
  const rows = await db.query<OrderRow>(
    `SELECT ${orderColumns} FROM orders WHERE id IN (${db.dialect.integersIn('$1')})`,
    [JSON.stringify(ids)],
  )
  return assemble({ rows, history, movements: await findOrderMovements(db, momentsOf(rows, history)) })
}

/** A movement has the time of its line in the history. */
function momentsOf(rows: readonly OrderRow[], history: History): OrderMoment[] {
  const pets = new Map(rows.map(({ id, pet_id }) => [id, pet_id]))
  const moments = new Map<string, OrderMoment>()
  for (const { order_id, kind, changes, at } of history) {
    const pet_id = pets.getOrInsertComputed(order_id, () => (kind === 'placed' ? JSON.parse(changes).petId?.to : 0))
    moments.set(`${order_id} ${at}`, { pet_id, at, order_id })
  }
  return [...moments.values()]
}

interface Rows {
  readonly rows: readonly OrderRow[]
  readonly history: History
  readonly movements: readonly ArchivedMovement[]
}

const byId = (one: { readonly id: number }, other: { readonly id: number }) => one.id - other.id

function assemble({ rows, history, movements }: Rows): ArchivedOrder[] {
  const orders = new Map(rows.map((row) => [row.id, row]))
  const movementsOf = Map.groupBy(movements, ({ order_id }) => order_id)
  return [...Map.groupBy(history, ({ order_id }) => order_id)]
    .map(([id, lines]) => ({
      id,
      order: orders.get(id) ?? null,
      history: lines.toSorted(byId),
      movements: (movementsOf.get(id) ?? []).toSorted(byId),
    }))
    .toSorted(byId)
}

/** Whether the order is as its history says, and its movements took the quantity that it has. */
function isConsistent({ order, history, movements }: ArchivedOrder): boolean {
  if (history[0]?.kind !== 'placed' || !movements.some(({ cause }) => cause === 'ordered')) return false
  const isCancelled = history.at(-1)?.kind === 'cancelled'
  const taken = -movements.reduce((sum, { delta }) => sum + delta, 0)
  return isCancelled ? order === null && taken === 0 : order?.complete === 1 && taken === order.quantity
}

export const countRowsOf = (orders: readonly ArchivedOrder[]): RowCounts => ({
  orders: orders.length,
  history: orders.reduce((sum, { history }) => sum + history.length, 0),
  movements: orders.reduce((sum, { movements }) => sum + movements.length, 0),
})

/** Removes orders with all of their rows. Throws, so that nothing is removed, if the database has others than these. */
export async function removeOrders(
  tx: Transaction,
  orders: readonly ArchivedOrder[],
  { before, sha256, now }: { readonly before: number; readonly sha256: string; readonly now: number },
): Promise<void> {
  const ids = [JSON.stringify(orders.map(({ id }) => id))]
  const inIds = `IN (${tx.dialect.integersIn('$1')})`
  const rows = await tx.query<OrderRow>(`DELETE FROM orders WHERE id ${inIds} RETURNING ${orderColumns}`, ids)
  const history = await tx.query<HistoryRow>(
    `DELETE FROM order_history WHERE order_id ${inIds} RETURNING ${historyColumns}`,
    ids,
  )
  const expected = orders.flatMap(({ movements }) => movements)
  const movements = await takeMovements(tx, expected, before)
  if (!areSame(assemble({ rows, history, movements }), orders))
    throw new Error(
      'The orders in the last file differ from those in the database. Nothing of that file was deleted. Name a new folder, or the database that the folder belongs to.',
    )
  const counts = countRowsOf(orders)
  await tx.query('INSERT INTO order_archives (sha256, orders, history, movements, at) VALUES ($1, $2, $3, $4, $5)', [
    sha256,
    counts.orders,
    counts.history,
    counts.movements,
    now,
  ])
}

export const areSame = (some: readonly ArchivedOrder[], others: readonly ArchivedOrder[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others)

/** Returns orders to the database, with their ids. Does nothing and returns false if they are there. */
export async function returnOrders(
  tx: Transaction,
  orders: readonly ArchivedOrder[],
  { before, sha256 }: { readonly before: number; readonly sha256: string },
): Promise<boolean> {
  const there = await tx.query<HistoryRow>(
    `SELECT ${historyColumns} FROM order_history WHERE order_id IN (${tx.dialect.integersIn('$1')}) ORDER BY order_id, id`,
    [JSON.stringify(orders.map(({ id }) => id))],
  )
  if (there.length > 0) {
    if (areSame(await readOrders(tx, [there]), orders)) return false
    throw new Error(
      'The database has other orders with the ids of the archive. Name an empty one, or the one that the archive is from.',
    )
  }
  // The triggers that count sold units need the orders first.
  tx.insert(
    intoOrders,
    orders.flatMap(({ order }) => order ?? []),
  )
  tx.insert(
    intoHistory,
    orders.flatMap(({ history }) => history),
  )
  const movements = orders.flatMap(({ movements }) => movements)
  await returnMovements(tx, movements, before)
  await tx.query('DELETE FROM order_archives WHERE sha256 = $1', [sha256])
  return true
}

/** The checksums of the files whose orders were removed. */
export async function findArchives(db: Queryable): Promise<Set<string>> {
  const rows = await db.query<{ sha256: string }>('SELECT sha256 FROM order_archives')
  return new Set(rows.map(({ sha256 }) => sha256))
}

const countArchived = (column: keyof RowCounts): string =>
  `SELECT CAST(coalesce(sum(${column}), 0) AS bigint) AS count FROM order_archives`

/** Selects how many rows of each append-only table were archived: no others are ever removed. */
export const archivedRows = { history: countArchived('history'), movements: countArchived('movements') }

export async function countArchivedOrders(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(countArchived('orders'))
  return row?.count ?? 0
}

const numbered = { orders: 'orders', history: 'order_history', movements: 'stock_movements' } as const

/** The highest ids of these orders' rows. */
export const highestIdsOf = (orders: readonly ArchivedOrder[]): RowCounts => ({
  orders: Math.max(...orders.map(({ id }) => id)),
  history: Math.max(...orders.flatMap(({ history }) => history.map(({ id }) => id))),
  movements: Math.max(0, ...orders.flatMap(({ movements }) => movements.map(({ id }) => id))),
})

/** Makes the database assign ids above these from now on. */
export async function continueIdsAfter(db: Database, highest: RowCounts): Promise<void> {
  await db.transaction(async (tx) => {
    for (const [key, table] of Object.entries(numbered) as [keyof RowCounts, string][]) {
      const [row] = await tx.query<{ highest: number | null }>(tx.dialect.highestId(table))
      if ((row?.highest ?? 0) >= highest[key]) continue
      for (const statement of tx.dialect.continueIds(table, highest[key])) await tx.query(statement)
    }
  })
}
