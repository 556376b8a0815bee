import {
  ascending,
  type Clause,
  descending,
  type Equality,
  equals,
  type Keyset,
  matchesMax,
  where,
} from '../../platform/db/clauses.ts'
import type { Database, Insert, Queryable, Transaction } from '../../platform/db/database.ts'
import { findPage } from '../../platform/db/pages/find-page.ts'
import type { Found, List } from '../../platform/db/pages/list.ts'
import type { Bit, Value } from '../../platform/db/value.ts'
import { type Awaitable, after } from '../../platform/lib/awaitable.ts'
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

export const intoOrders: Insert<OrderRow> = {
  table: 'orders',
  columns: ['id', 'key_id', 'pet_id', 'quantity', 'ship_date', 'complete', 'created_at'],
}
const columns = intoOrders.columns.join(', ')

export const ownedBy = (owner: Owner): Equality | undefined =>
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

/**
 * Ids follow the time of placing, so a filter on that time sorts by time instead, which an index can serve. Open orders are few: they are
 * read by id.
 */
export const sortFor = (sort: keyof typeof sortByTime, { placedFrom, placedTo, complete }: OrderFilter): OrderSort =>
  complete === false || (placedFrom === undefined && placedTo === undefined) ? sort : sortByTime[sort]

export function findOrders(db: Queryable, owner: Owner, filter: OrderFilter, keyset: Keyset): Promise<Found<OrderRow>> {
  const { columns } = keyset.sort
  if (columns === byId) return findPage(db, listById(owner, filter), keyset)
  if (columns === byTime) return findPage(db, listByTime(owner, filter), keyset)
  return findDatedFirst(db, owner, filter, keyset)
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

/** The values of `complete` that a list includes: open and complete orders have separate indexes. */
const bitsOf = ({ complete }: OrderFilter): readonly Bit[] => (complete === undefined ? [0, 1] : [complete ? 1 : 0])

/** The pet or key of a list, whose orders have an index by id; undefined for all orders. */
const groupOf = (owner: Owner, { petId }: OrderFilter): Equality | undefined =>
  petId === undefined ? ownedBy(owner) : equals('pet_id', petId)

const select = `SELECT ${columns} FROM orders`

/** By id, an index serves the orders of a pet, of a key, or all open orders; other conditions are checked row by row. */
function listById(owner: Owner, filter: OrderFilter): List {
  const group = groupOf(owner, filter)
  const others = [...placedRange(filter), ...shipRange(filter)]
  if (group) {
    const oneOf = bitsOf(filter).map((bit): Clause => [`complete = ${bit}`])
    return {
      select,
      where: [group],
      oneOf,
      filters: [filter.petId === undefined ? undefined : ownedBy(owner), ...others],
    }
  }
  return {
    select,
    where: [filter.complete === false ? ['complete * 1 = 0'] : undefined],
    filters: [filter.complete ? ['complete = 1'] : undefined, ...others],
  }
}

/** By time, an index serves all orders. Those of a pet or a key are fetched and sorted if they are few. */
const listByTime = (owner: Owner, filter: OrderFilter): List => ({
  select,
  where: placedRange(filter),
  filters: [
    filter.complete === undefined ? undefined : [`complete = ${filter.complete ? 1 : 0}`],
    ...ofOwnerAndPet(owner, filter),
    ...shipRange(filter),
  ],
  search: searchGroup(owner, filter),
})

/** The same by ship date. */
const listByShipDate = (owner: Owner, filter: OrderFilter): List => ({
  select,
  where: [['ship_date IS NOT NULL'], ...shipRange(filter)],
  oneOf: bitsOf(filter).map((bit): Clause => [`complete + 0 = ${bit}`]),
  filters: [...ofOwnerAndPet(owner, filter), ...placedRange(filter)],
  search: searchGroup(owner, filter),
})

const ofOwnerAndPet = (owner: Owner, { petId }: OrderFilter): (Clause | undefined)[] => [
  ownedBy(owner),
  petId === undefined ? undefined : equals('pet_id', petId),
]

/** Selects the ids of the orders of a pet or a key, from its index, up to one more than a page may sort. */
function searchGroup(owner: Owner, filter: OrderFilter): Clause | undefined {
  const group = groupOf(owner, filter)
  if (!group) return undefined
  const { column, value } = group
  const bits = bitsOf(filter)
  const selects = bits.map(
    (
      bit,
    ) => `SELECT found FROM (SELECT id AS found FROM orders WHERE ${column} >= ? AND ${column} <= ? AND complete = ${bit}
      ORDER BY ${column}, id LIMIT ${matchesMax + 1}) AS found`,
  )
  return [selects.join(' UNION ALL '), ...bits.flatMap(() => [value, value])]
}

/** Sorts by ship date, in either direction: first the orders that have one, then the others by id. */
async function findDatedFirst(
  db: Queryable,
  owner: Owner,
  filter: OrderFilter,
  { sort, after, limit }: Keyset,
): Promise<Found<OrderRow>> {
  const isInUndated = after?.[0] === null
  const dated: Found<OrderRow> = isInUndated
    ? { rows: [], next: undefined }
    : await findPage(db, listByShipDate(owner, filter), { sort, after, limit })
  if (dated.next || filter.shipFrom !== undefined || filter.shipTo !== undefined) return dated
  const left = limit - dated.rows.length
  // The page is full: the next one starts with the orders without a date, if there are any.
  if (left === 0) return { rows: dated.rows, next: [null, sort.descending ? Number.MAX_SAFE_INTEGER : 0] }
  const byIds = listById(owner, filter)
  const undated = await findPage<OrderRow>(
    db,
    { ...byIds, filters: [...(byIds.filters ?? []), ['ship_date IS NULL']] },
    { sort: orderSorts[sort.descending ? '-id' : 'id'], after: isInUndated ? after.slice(1) : undefined, limit: left },
  )
  return { rows: [...dated.rows, ...undated.rows], next: undated.next && [null, ...undated.next] }
}

export const findOrder = (db: Database, owner: Owner, id: Id): Awaitable<OrderRow | undefined> =>
  after(db.find<OrderRow>(`SELECT ${columns} FROM orders WHERE id`, id), (order) =>
    order && (owner === 'everyone' || order.key_id === owner) ? order : undefined,
  )

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

/** The id comes from `nextId`. */
export const insertOrder = (tx: Transaction, order: OrderRow): void => tx.insert(intoOrders, [order])

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
