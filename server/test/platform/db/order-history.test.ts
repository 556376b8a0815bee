import { afterAll, expect, test } from 'bun:test'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { orderHistory } from '../../../src/platform/db/migrations/0009-order-history.ts'
import { openForCommand } from '../../../src/platform/db/open.ts'
import { petShop } from '../../../src/shop/index.ts'
import { createTestDatabase } from '../../harness/database.ts'

const { url, remove } = await createTestDatabase()
const db = await openForCommand({ url, name: 'petstore-test' })
afterAll(async () => {
  await db.close()
  await remove()
})

test('orders from before the history get a first entry with the quantity from the ledger', async () => {
  await migrate(db, 0, petShop.migrations.slice(0, petShop.migrations.indexOf(orderHistory)))
  await db.transaction(async (tx) => {
    const order = `INSERT INTO orders (id, key_id, pet_id, quantity, ship_date, complete, created_at) VALUES ($1, 4, 7, $2, NULL, 0, $3)`
    await tx.query(order, [11, 5, 1_000])
    await tx.query(order, [12, 3, 2_000])
    const movement =
      "INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at) VALUES (7, $1, 'ordered', $2, NULL, $3)"
    // The first was placed for two and changed later; the second is not in the ledger.
    await tx.query(movement, [-2, 11, 1_000])
    await tx.query(movement, [-9, 13, 1_000])
  })
  await migrate(db, 0, petShop.migrations)
  const rows = await db.query<{ order_id: number; key_id: number; kind: string; changes: string; at: number }>(
    'SELECT order_id, key_id, kind, changes, at FROM order_history ORDER BY id',
  )
  const changes = (quantity: number) => ({ petId: { to: 7 }, quantity: { to: quantity } })
  expect(rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) }))).toEqual([
    { order_id: 11, key_id: 4, kind: 'placed', changes: changes(2), at: 1_000 },
    { order_id: 12, key_id: 4, kind: 'placed', changes: changes(3), at: 2_000 },
  ])
})
