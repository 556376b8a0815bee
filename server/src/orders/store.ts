import { ascending, type Clause, descending, type Keyset, pageQuery, where } from '../db/clauses.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { Bit, OrderRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import type { Owner } from './owner.ts'

const byId = { id: 'integer' } as const
const byTime = { created_at: 'integer', id: 'integer' } as const
const byShipDate = { ship_date: 'integer or null', id: 'integer' } as const

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

/** Written out, not a parameter: only then can the indexes of the open orders serve it. */
const completeIs = (bit: Bit): Clause => [`complete = ${bit}`]
/** As the indexes by time and by ship date of everyone's orders have it, see the migration that makes them. */
const everyonesCompleteIs = (bit: Bit): Clause => [`complete + 0 = ${bit}`]

export async function findOrders(
  db: Queryable,
  owner: Owner,
  filter: OrderFilter,
  keyset: Keyset,
): Promise<OrderRow[]> {
  const { petId, complete, placedFrom, placedTo, shipFrom, shipTo } = filter
  const given = (sql: string, value: Id | undefined): Clause[] => (value === undefined ? [] : [[sql, value]])
  const isById = keyset.sort.columns === byId
  const isBit = isById || owner !== 'everyone' ? completeIs : everyonesCompleteIs
  // The indexes by time and by ship date have open and complete orders apart, that of the ids has not.
  const either = isById ? undefined : [isBit(0), isBit(1)]
  const find = (within: Keyset, ...more: Clause[]): Promise<OrderRow[]> =>
    db.query(
      ...pageQuery({
        select: `SELECT ${columns} FROM orders`,
        where: [
          ownedBy(owner),
          ...given('pet_id = ?', petId),
          ...given('created_at >= ?', placedFrom),
          ...given('created_at < ?', placedTo),
          ...given('ship_date >= ?', shipFrom),
          ...given('ship_date < ?', shipTo),
          ...more,
        ],
        oneOf: complete === undefined ? either : [isBit(complete ? 1 : 0)],
        keyset: within,
      }),
    )
  if (!('ship_date' in keyset.sort.columns)) return find(keyset)
  const isRange = shipFrom !== undefined || shipTo !== undefined
  return datedFirst(keyset, find, isRange)
}

/** By ship date, whichever way: first the orders that have one, then the others by id. */
async function datedFirst(
  { sort, after, limit }: Keyset,
  find: (keyset: Keyset, condition: Clause) => Promise<OrderRow[]>,
  onlyDated: boolean,
): Promise<OrderRow[]> {
  const [shipDate, id = null] = after ?? []
  const isPast = shipDate === null
  const dated = isPast ? [] : await find({ sort, after, limit }, ['ship_date IS NOT NULL'])
  if (onlyDated || dated.length > limit) return dated
  const onwards: Clause = isPast
    ? [`ship_date IS NULL AND id ${sort.descending ? '<' : '>'} ?`, id]
    : ['ship_date IS NULL']
  return [...dated, ...(await find({ sort, after: undefined, limit: limit - dated.length }, onwards))]
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

interface OrderFields {
  quantity: number
  shipDate: number | null
  complete: Bit
}

export async function insertOrder(
  tx: Transaction,
  { keyId, petId, quantity, shipDate, complete, now }: OrderFields & { keyId: number; petId: number; now: number },
): Promise<OrderRow> {
  const [row] = await tx.query<OrderRow>(
    `INSERT INTO orders (key_id, pet_id, quantity, ship_date, complete, created_at) VALUES ($1, $2, $3, $4, $5, $6)
     RETURNING ${columns}`,
    [keyId, petId, quantity, shipDate, complete, now],
  )
  return row as OrderRow
}

export async function updateOrder(tx: Transaction, { id, quantity, ship_date, complete }: OrderRow): Promise<void> {
  const statement = 'UPDATE orders SET quantity = $2, ship_date = $3, complete = $4 WHERE id = $1'
  await tx.query(statement, [id, quantity, ship_date, complete])
}

export async function deleteOrder(tx: Transaction, id: number): Promise<void> {
  await tx.query('DELETE FROM orders WHERE id = $1', [id])
}
