import { afterAll, expect, test } from 'bun:test'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { shopCounts } from '../../../src/platform/db/migrations/0023-shop-counts.ts'
import { openForCommand } from '../../../src/platform/db/open.ts'
import { petShop } from '../../../src/shop/index.ts'
import { findCounts } from '../../../src/shop/summary/counts.ts'
import { showSummary } from '../../../src/shop/summary/show.ts'
import { createTestDatabase } from '../../harness/database.ts'

const { url, remove } = await createTestDatabase()
const db = await openForCommand({ url, name: 'petstore-test' })
afterAll(async () => {
  await db.close()
  await remove()
})

const hourMs = 3_600_000

test('what was there before the counts is counted', async () => {
  await migrate(db, 0, petShop.migrations.slice(0, petShop.migrations.indexOf(shopCounts)))
  await db.transaction(async (tx) => {
    for (const statement of db.dialect.engine === 'postgres'
      ? [`SET petstore.program = ${petShop.migrations.length}`]
      : []) {
      await tx.query(statement)
    }
    await tx.query("INSERT INTO categories (id, name, name_folded) VALUES (1, 'Dogs', 'dogs')")
    for (const [id, quantity] of [
      [7, 3],
      [8, 1],
      [9, 0],
    ]) {
      await tx.query(
        "INSERT INTO pets (id, name, name_folded, category_id, status, held) VALUES ($1, 'Rex', 'rex', 1, 'available', 0)",
        [id as number],
      )
      await tx.query('INSERT INTO inventory (pet_id, quantity) VALUES ($1, $2)', [id as number, quantity as number])
    }
    const order =
      'INSERT INTO orders (id, key_id, pet_id, quantity, complete, created_at) VALUES ($1, 4, 7, $2, $3, $4)'
    await tx.query(order, [11, 5, 1, hourMs])
    await tx.query(order, [12, 3, 0, hourMs])
    const line = 'INSERT INTO order_history (order_id, key_id, kind, changes, at) VALUES ($1, 4, $2, $3, $4)'
    await tx.query(line, [11, 'placed', '{"complete":{"to":false}}', hourMs])
    await tx.query(line, [11, 'changed', '{}', hourMs + 1])
    await tx.query(line, [11, 'completed', '{}', 2 * hourMs])
    await tx.query(line, [12, 'placed', '{"complete":{"to":false}}', 2 * hourMs - 1])
    await tx.query(line, [13, 'cancelled', '{}', 2 * hourMs])
  })
  await migrate(db, 0, petShop.migrations)
  expect(showSummary(await findCounts(db, hourMs), hourMs, 2)).toEqual({
    openOrders: 1,
    hours: [
      { from: '1970-01-01T01:00:00.000Z', placed: 2, completed: 0, cancelled: 0, unitsSold: 0 },
      { from: '1970-01-01T02:00:00.000Z', placed: 0, completed: 1, cancelled: 1, unitsSold: 5 },
    ],
    petsByStatus: { available: 3, pending: 0, sold: 0 },
    lowStock: 2,
    outOfStock: 1,
  })
})
