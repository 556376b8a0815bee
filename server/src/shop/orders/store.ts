import { ascending, type Clause, descending, equals, type Keyset, where } from '../../platform/db/clauses.ts'
import type { Queryable, Transaction } from '../../platform/db/database.ts'
import { findPage } from '../../platform/db/pages/find-page.ts'
import type { Found, List } from '../../platform/db/pages/list.ts'
import type { Bit, Value } from '../../platform/db/value.ts'
import type { Awaitable } from '../../platform/lib/awaitable.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { createPetLock, type LockedPet } from '../pets/lock.ts'

export interface OrderRow {
  id: number
  key_id: number
  pet_id: number
  quantity: number
  ship_date: number | null
  complete: Bit
  created_at: number
}

export type OrderEventKind = 'placed' | 'changed' | 'completed' | 'cancelled'

export interface OrderHistoryRow {
  id: number
  kind: OrderEventKind
  /** JSON. */
  changes: string
  at: number
  by_key_id: number | null
}

const byId = { id: 'integer' } as const
const byTime = { created_at: 'integer', id: 'integer' } as const
const byShipDate = { ship_date: 'nullable-integer', id: 'integer' } as const

export const orderSorts = {
  id: ascending(byId),
  '-id': descending(byId),
  placed: ascending(byTime),
  '-placed': descending(byTime),
  shipDate: ascending(byShipDate),
  '-shipDate': descending(byShipDate),
}

const columns = 'id, key_id, pet_id, quantity, ship_date, complete, created_at'

export const ownedBy = (owner: Owner): Clause | undefined =>
  owner === 'everyone' ? undefined : equals('key_id', owner)

interface OrderFilter {
  petId?: Id | undefined
  complete?: boolean | undefined
  /** Half-open time ranges: from inclusive, to exclusive. */
  placedFrom?: number | undefined
  placedTo?: number | undefined
  shipFrom?: number | undefined
  shipTo?: number | undefined
}

type OrderSort = keyof typeof orderSorts

const sortByTime = { id: 'placed', '-id': '-placed', shipDate: 'shipDate', '-shipDate': '-shipDate' } as const

/** Ids follow the time of placing, so a filter on that time sorts by time instead, which an index can serve. */
export const sortFor = (sort: keyof typeof sortByTime, { placedFrom, placedTo }: OrderFilter): OrderSort =>
  placedFrom === undefined && placedTo === undefined ? sort : sortByTime[sort]

const completeClause = (bit: Bit): Clause => [`complete = ${bit}`]
/** Written as in the indexes by time and by ship date over all keys' orders, so that those are used. */
const allKeysCompleteClause = (bit: Bit): Clause => [`complete + 0 = ${bit}`]
/** Written as in the index of all open orders. */
const openClause: Clause = ['complete * 1 = 0']

export async function findOrders(
  db: Queryable,
  owner: Owner,
  filter: OrderFilter,
  keyset: Keyset,
): Promise<Found<OrderRow>> {
  const select = `SELECT ${columns} FROM orders`
  if (keyset.sort.columns === byId) return findPage(db, { select, ...planById(owner, filter) }, keyset)
  const list = { select, ...planByTime(owner, filter, keyset) }
  if (keyset.sort.columns === byTime) return findPage(db, list, keyset)
  const isRange = filter.shipFrom !== undefined || filter.shipTo !== undefined
  return findDatedFirst(keyset, isRange, (within, condition) =>
    findPage(db, { ...list, where: [...list.where, condition] }, within),
  )
}

const optionalClause = (sql: string, value: Id | undefined): Clause | undefined =>
  value === undefined ? undefined : [sql, value]
const placedRange = ({ placedFrom, placedTo }: OrderFilter) => [
  optionalClause('created_at >= ?', placedFrom),
  optionalClause('created_at < ?', placedTo),
]
const shipRange = ({ shipFrom, shipTo }: OrderFilter) => [
  optionalClause('ship_date >= ?', shipFrom),
  optionalClause('ship_date < ?', shipTo),
]

/** Every index except the primary key includes `complete`, so a query names one or both values. */
const bitsOf = ({ complete }: OrderFilter): readonly Bit[] => (complete === undefined ? [0, 1] : [complete ? 1 : 0])

/** By id, an index serves the orders of a pet, of a key, or all open orders; other conditions are checked row by row. */
function planById(owner: Owner, filter: OrderFilter): Omit<List, 'select'> {
  const { petId, complete } = filter
  const others = [...placedRange(filter), ...shipRange(filter)]
  if (petId === undefined && owner === 'everyone') {
    return {
      where: [complete === false ? openClause : undefined],
      filters: [complete === true ? completeClause(1) : undefined, ...others],
    }
  }
  return {
    where: [petId === undefined ? ownedBy(owner) : equals('pet_id', petId)],
    // A parameter becomes an index bound, so the planner cannot scan the primary key past other keys' orders.
    oneOf: bitsOf(filter).map((bit) => equals('complete', bit)),
    filters: [petId === undefined ? undefined : ownedBy(owner), ...others],
  }
}

/** By time or ship date, indexes serve one key's or all orders, with open and complete orders apart. */
function planByTime(owner: Owner, filter: OrderFilter, { sort }: Keyset) {
  const [range, other] =
    sort.columns === byTime ? [placedRange(filter), shipRange(filter)] : [shipRange(filter), placedRange(filter)]
  return {
    where: [ownedBy(owner), ...range],
    oneOf: bitsOf(filter).map(owner === 'everyone' ? allKeysCompleteClause : completeClause),
    filters: [filter.petId === undefined ? undefined : equals('pet_id', filter.petId), ...other],
  }
}

/** Sorts by ship date, in either direction: first the orders that have one, then the others by id. */
async function findDatedFirst(
  { sort, after, limit }: Keyset,
  onlyDated: boolean,
  find: (keyset: Keyset, condition: Clause) => Promise<Found<OrderRow>>,
): Promise<Found<OrderRow>> {
  const isInUndated = after?.[0] === null
  const dated = isInUndated
    ? { rows: [], next: undefined }
    : await find({ sort, after, limit }, ['ship_date IS NOT NULL'])
  if (onlyDated || dated.next) return dated
  const left = limit - dated.rows.length
  // The page is full: the next one starts with the orders without a date, if there are any.
  if (left === 0) return { rows: dated.rows, next: [null, sort.descending ? Number.MAX_SAFE_INTEGER : 0] }
  const undated = await find({ sort, after: isInUndated ? after : undefined, limit: left }, ['ship_date IS NULL'])
  return { rows: [...dated.rows, ...undated.rows], next: undated.next }
}

export async function findOrder(db: Queryable, owner: Owner, id: Id): Promise<OrderRow | undefined> {
  const { where: condition, params } = where([equals('id', id), ownedBy(owner)])
  const [row] = await db.query<OrderRow>(`SELECT ${columns} FROM orders ${condition}`, params)
  return row
}

export async function lockOrder(tx: Transaction, owner: Owner, id: Id): Promise<OrderRow | undefined> {
  const { where: condition, params } = where([equals('id', id), ownedBy(owner)])
  const [row] = await tx.query<OrderRow>(`SELECT ${columns} FROM orders ${condition} ${tx.dialect.forUpdate}`, params)
  return row
}

/** Locks the pet of an open order without first reading which pet that is. */
export function lockPetOfOrder(tx: Transaction, owner: Owner, id: Id): Awaitable<LockedPet | undefined> {
  const { where: condition, params } = where([equals('id', id), ['complete = 0'], ownedBy(owner)])
  return createPetLock(`= (SELECT pet_id FROM orders ${condition})`)(tx, params)
}

const insertSql = `INSERT INTO orders (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)`

/** The id comes from `nextId`. */
export function insertOrder(tx: Transaction, order: OrderRow): void {
  const { id, key_id, pet_id, quantity, ship_date, complete, created_at } = order
  tx.send(insertSql, [id, key_id, pet_id, quantity, ship_date, complete, created_at])
}

export function updateOrder(tx: Transaction, { id, quantity, ship_date, complete }: OrderRow): void {
  const statement = 'UPDATE orders SET quantity = $2, ship_date = $3, complete = $4 WHERE id = $1'
  tx.send(statement, [id, quantity, ship_date, complete])
}

export function deleteOrder(tx: Transaction, id: number): void {
  tx.send('DELETE FROM orders WHERE id = $1', [id])
}

/** The orders a caller may access: those of one key, or everyone's. */
export type Owner = number | 'everyone'

/** SQL for an order id in `column` if the order belongs to `owner`, null otherwise. Cancelled orders are found in the history. */
export function visibleOrderId(owner: Owner, column: string): { sql: string; params: readonly Value[] } {
  if (owner === 'everyone') return { sql: column, params: [] }
  // One lookup per row: with EXISTS, PostgreSQL may scan all orders of the key instead.
  const sql = `coalesce((SELECT o.id FROM orders o WHERE o.id = ${column} AND o.key_id = $1),
    (SELECT h.order_id FROM order_history h WHERE h.order_id = ${column} AND h.key_id = $1 LIMIT 1))`
  return { sql, params: [owner] }
}
