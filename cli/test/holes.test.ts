import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openForCommand } from '../../server/src/platform/db/open.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import { call, type Nodes, startNodes } from '../../server/test/harness/nodes.ts'
import { petstore } from './harness/petstore.ts'

// Incomplete data, as left by someone who changes the database by hand.

let shop: Nodes
let url: string
beforeAll(async () => {
  shop = await startNodes(1)
  url = shop.nodes[0]?.url ?? ''
})
afterAll(() => shop.stop())

const send = async (method: string, path: string, body?: unknown) =>
  (await call(url, shop.adminSecret, method, path, body)).body

async function doctor(...words: string[]) {
  const { code, output } = await petstore(['doctor', '--json', ...words], {
    env: { DATABASE_URL: shop.databaseUrl, BASE_URL: url },
  })
  const findings = JSON.parse(output) as { check: string; state: string; says: string; advice?: string }[]
  return { code, data: findings.find(({ check }) => check === 'data') }
}

const historyOf = (orderId: number): Promise<{ kind: string; time: string }[]> =>
  send('GET', `/store/orders/${orderId}/history`)
const kindsOf = async (orderId: number) => (await historyOf(orderId)).map(({ kind }) => kind)
const timesOf = async (orderId: number) => (await historyOf(orderId)).map(({ time }) => time)

test('doctor finds changes without stock movements, history, events and counts; --mend writes them', async () => {
  const category = await send('POST', '/categories', { name: 'Fish' })
  const pet = await send('POST', '/pets', { name: 'Guppy', categoryId: category.id })
  await send('PUT', `/store/inventory/${pet.id}`, { quantity: 100 })
  const place = async (): Promise<number> => (await send('POST', '/store/orders', { petId: pet.id, quantity: 2 })).id
  const [whole, unplaced, uncompleted, vanished] = [await place(), await place(), await place(), await place()]
  const other = await place()
  for (const id of [whole, uncompleted]) await send('PATCH', `/store/orders/${id}`, { complete: true })
  for (const id of [vanished, other]) await send('DELETE', `/store/orders/${id}`)
  const timesBefore = await timesOf(vanished)
  expect(await doctor()).toEqual({
    code: 0,
    data: { check: 'data', state: 'ok', says: 'Stock history, order history, events and counts are complete.' },
  })

  const db = await openForCommand({ url: shop.databaseUrl, name: 'petstore-test' })
  await db.transaction(async (tx) => {
    await tx.query('DELETE FROM order_history WHERE order_id IN ($1, $2)', [unplaced, vanished])
    await tx.query("DELETE FROM order_history WHERE order_id = $1 AND kind = 'completed'", [uncompleted])
    await tx.query(`DELETE FROM events WHERE type LIKE 'order.%' AND data LIKE '{"id":${unplaced},%'`)
    await tx.query('DELETE FROM stock_movements WHERE order_id = $1', [whole])
    await tx.query("UPDATE stock_movements SET at = at + 1000 WHERE order_id = $1 AND cause = 'cancelled'", [other])
    await tx.query('UPDATE pet_counts SET pets = pets + 5 WHERE category_id = 0')
    await tx.query("INSERT INTO pet_count_changes (category_id, status, pets) VALUES ($1, 'sold', 3)", [category.id])
  })
  await db.close()
  const ill = await doctor()
  expect([ill.code, ill.data?.state, ill.data?.advice]).toEqual([
    1,
    'error',
    'Make a backup, then run: petstore doctor --mend',
  ])
  expect(ill.data?.says).toMatch(
    /^3 orders with an incomplete history; 1 orders without an order.placed event; 1 pets whose stock history does not add up to their stock; \d wrong pet counts\.$/,
  )

  const mended = await doctor('--mend')
  expect([mended.code, mended.data?.says]).toEqual([0, `Mended: ${ill.data?.says}`])
  expect((await doctor()).data?.state).toBe('ok')
  expect((await doctor('--mend')).data?.says).toBe('Stock history, order history, events and counts are complete.')
  expect([await kindsOf(whole), await kindsOf(unplaced), await kindsOf(uncompleted), await kindsOf(vanished)]).toEqual([
    ['completed', 'placed'],
    ['placed'],
    ['completed', 'placed'],
    ['cancelled', 'placed'],
  ])
  expect(await timesOf(vanished)).toEqual(timesBefore)
  const counts = await send('GET', '/pets/counts')
  expect(counts.total).toBe(1)
  const movements = await send('GET', `/store/inventory/${pet.id}/movements`)
  const sum = movements.reduce((total: number, { delta }: { delta: number }) => total + delta, 0)
  expect(sum).toBe((await send('GET', `/pets/${pet.id}/profile`)).stock)
  // The end of the log can be read once no transaction of the whole server is older.
  const placed = await eventually(async () => {
    const events: { type: string; data: { id: number } }[] = await send('GET', '/events?limit=100')
    const found = events.filter(({ type, data }) => type === 'order.placed' && data.id === unplaced)
    return found.length > 0 && found
  })
  expect(placed.length).toBe(1)
})
