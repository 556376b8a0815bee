import { ascending, type Clause, descending, type Keyset, pageQuery, where } from '../db/clauses.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { Bit, OrderRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import type { Owner } from './owner.ts'

export const orderSorts = { id: ascending({ id: 'integer' }), '-id': descending({ id: 'integer' }) }

const columns = 'id, key_id, pet_id, quantity, ship_date, complete'

const ownedBy = (owner: Owner): Clause | undefined => (owner === 'everyone' ? undefined : ['key_id = ?', owner])

interface OrderFilter {
  petId?: Id | undefined
  complete?: boolean | undefined
}

export function findOrders(
  db: Queryable,
  owner: Owner,
  { petId, complete }: OrderFilter,
  keyset: Keyset,
): Promise<OrderRow[]> {
  const page = pageQuery({
    select: `SELECT ${columns} FROM orders`,
    where: [
      ownedBy(owner),
      petId === undefined ? undefined : ['pet_id = ?', petId],
      // Written out, not a parameter: only then can the indexes of the open orders serve it.
      complete === undefined ? undefined : [complete ? 'complete = 1' : 'complete = 0'],
    ],
    keyset,
  })
  return db.query(...page)
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

export async function updateOrder(
  tx: Transaction,
  id: number,
  { quantity, shipDate, complete }: OrderFields,
): Promise<OrderRow> {
  const [row] = await tx.query<OrderRow>(
    `UPDATE orders SET quantity = $2, ship_date = $3, complete = $4 WHERE id = $1 RETURNING ${columns}`,
    [id, quantity, shipDate, complete],
  )
  return row as OrderRow
}

export async function deleteOrder(tx: Transaction, id: number): Promise<void> {
  await tx.query('DELETE FROM orders WHERE id = $1', [id])
}
