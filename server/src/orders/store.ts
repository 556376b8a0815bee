import { ascending, type Clause, descending, type Keyset, where } from '../db/clauses.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import { type Found, findPage, type List } from '../db/find-page.ts'
import type { Bit, OrderRow } from '../db/tables.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'
import { type LockedPet, lockingPet } from '../stock/lock.ts'
import type { Owner } from './owner.ts'

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

export const ownedBy = (owner: Owner): Clause | undefined => (owner === 'everyone' ? undefined : ['key_id = ?', owner])

interface OrderFilter {
  petId?: Id | undefined
  complete?: boolean | undefined
  /** Times from which on and before which orders were placed, or are to be shipped. */
  placedFrom?: number | undefined
  placedTo?: number | undefined
  shipFrom?: number | undefined
  shipTo?: number | undefined
}

type OrderSort = keyof typeof orderSorts

const sortOfRange = { id: 'placed', '-id': '-placed', shipDate: 'shipDate', '-shipDate': '-shipDate' } as const

/** Ids are given out as orders are placed: a range of times is read in the order of times, where an index has it together. */
export const sortFor = (sort: keyof typeof sortOfRange, { placedFrom, placedTo }: OrderFilter): OrderSort =>
  placedFrom === undefined && placedTo === undefined ? sort : sortOfRange[sort]

const completeIs = (bit: Bit): Clause => [`complete = ${bit}`]
/** As the indexes by time and by ship date of everyone's orders have it, see the migration that makes them. */
const everyonesCompleteIs = (bit: Bit): Clause => [`complete + 0 = ${bit}`]
/** As the index of all open orders has it. */
const isOpen: Clause = ['complete * 1 = 0']

export async function findOrders(
  db: Queryable,
  owner: Owner,
  filter: OrderFilter,
  keyset: Keyset,
): Promise<Found<OrderRow>> {
  const select = `SELECT ${columns} FROM orders`
  if (keyset.sort.columns === byId) return findPage(db, { select, ...inOrderOfIds(owner, filter) }, keyset)
  const list = { select, ...inOrderOfTimes(owner, filter, keyset) }
  if (keyset.sort.columns === byTime) return findPage(db, list, keyset)
  const isRange = filter.shipFrom !== undefined || filter.shipTo !== undefined
  return datedFirst(keyset, isRange, (within, condition) =>
    findPage(db, { ...list, where: [...list.where, condition] }, within),
  )
}

const given = (sql: string, value: Id | undefined): Clause | undefined =>
  value === undefined ? undefined : [sql, value]
const placedIn = ({ placedFrom, placedTo }: OrderFilter) => [
  given('created_at >= ?', placedFrom),
  given('created_at < ?', placedTo),
]
const shippedIn = ({ shipFrom, shipTo }: OrderFilter) => [
  given('ship_date >= ?', shipFrom),
  given('ship_date < ?', shipTo),
]

/** `complete` is a part of every index but the primary key: both of its values are read, or the one that is asked for. */
const bitsOf = ({ complete }: OrderFilter): readonly Bit[] => (complete === undefined ? [0, 1] : [complete ? 1 : 0])

/** Orders of a pet or of a key, and everyone's open ones, are found in the order of ids; other conditions are checked row by row. */
function inOrderOfIds(owner: Owner, filter: OrderFilter): Omit<List, 'select'> {
  const { petId, complete } = filter
  const others = [...placedIn(filter), ...shippedIn(filter)]
  if (petId === undefined && owner === 'everyone') {
    return {
      where: [complete === false ? isOpen : undefined],
      filters: [complete === true ? completeIs(1) : undefined, ...others],
    }
  }
  return {
    where: [petId === undefined ? ownedBy(owner) : ['pet_id = ?', petId]],
    // As a parameter it becomes a bound of the index, so the planner cannot read the primary key past the orders of others.
    oneOf: bitsOf(filter).map((bit) => ['complete = ?', bit]),
    filters: [petId === undefined ? undefined : ownedBy(owner), ...others],
  }
}

/** The indexes by time and by ship date have each key's and everyone's orders, open and complete ones apart. */
function inOrderOfTimes(owner: Owner, filter: OrderFilter, { sort }: Keyset) {
  const [range, other] =
    sort.columns === byTime ? [placedIn(filter), shippedIn(filter)] : [shippedIn(filter), placedIn(filter)]
  return {
    where: [ownedBy(owner), ...range],
    oneOf: bitsOf(filter).map(owner === 'everyone' ? everyonesCompleteIs : completeIs),
    filters: [given('pet_id = ?', filter.petId), ...other],
  }
}

/** By ship date, whichever way: first the orders that have one, then the others by id. */
async function datedFirst(
  { sort, after, limit }: Keyset,
  onlyDated: boolean,
  find: (keyset: Keyset, condition: Clause) => Promise<Found<OrderRow>>,
): Promise<Found<OrderRow>> {
  const isPast = after?.[0] === null
  const dated = isPast ? { rows: [], next: undefined } : await find({ sort, after, limit }, ['ship_date IS NOT NULL'])
  if (onlyDated || dated.next) return dated
  const left = limit - dated.rows.length
  // The page is full: the next begins before the first order without a date, if there may be one.
  if (left === 0) return { rows: dated.rows, next: [null, sort.descending ? Number.MAX_SAFE_INTEGER : 0] }
  const undated = await find({ sort, after: isPast ? after : undefined, limit: left }, ['ship_date IS NULL'])
  return { rows: [...dated.rows, ...undated.rows], next: undated.next }
}

export async function findOrder(db: Queryable, owner: Owner, id: Id): Promise<OrderRow | undefined> {
  const { where: condition, params } = where([['id = ?', id], ownedBy(owner)])
  const [row] = await db.query<OrderRow>(`SELECT ${columns} FROM orders ${condition}`, params)
  return row
}

export async function lockOrder(tx: Transaction, owner: Owner, id: Id): Promise<OrderRow | undefined> {
  const { where: condition, params } = where([['id = ?', id], ownedBy(owner)])
  const [row] = await tx.query<OrderRow>(`SELECT ${columns} FROM orders ${condition} ${tx.dialect.forUpdate}`, params)
  return row
}

/** The pet of an open order, found and locked without waiting to be told which it is. */
export function lockPetOfOrder(tx: Transaction, owner: Owner, id: Id): Awaitable<LockedPet | undefined> {
  const { where: condition, params } = where([['id = ?', id], ['complete = 0'], ownedBy(owner)])
  return lockingPet(`= (SELECT pet_id FROM orders ${condition})`)(tx, params)
}

const insertion = `INSERT INTO orders (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)`

/** Its id was drawn before. */
export function insertOrder(tx: Transaction, order: OrderRow): void {
  const { id, key_id, pet_id, quantity, ship_date, complete, created_at } = order
  tx.send(insertion, [id, key_id, pet_id, quantity, ship_date, complete, created_at])
}

export function updateOrder(tx: Transaction, { id, quantity, ship_date, complete }: OrderRow): void {
  const statement = 'UPDATE orders SET quantity = $2, ship_date = $3, complete = $4 WHERE id = $1'
  tx.send(statement, [id, quantity, ship_date, complete])
}

export function deleteOrder(tx: Transaction, id: number): void {
  tx.send('DELETE FROM orders WHERE id = $1', [id])
}
