import type { Transaction, Value } from '../../../server/src/platform/db/database.ts'
import { openForCommand } from '../../../server/src/platform/db/open.ts'

// Orders of 2024, as the service would have written them.

type Row = Record<string, Value>

const count = 1_200
const firstId = 1_000
const start = Date.UTC(2024, 0, 2)
const stepMs = (360 * 86_400_000) / count
const keyId = 1

interface Rows {
  readonly orders: Row[]
  readonly order_history: Row[]
  readonly stock_movements: Row[]
}

/** One in fifty is still open; the others were placed complete, completed, cancelled, or changed and completed. */
const stateOf = (index: number) =>
  index % 50 === 49 ? 'open' : (['completed', 'changed', 'cancelled', 'placed complete'] as const)[index % 4]

function createRows(petIds: readonly number[]): Rows {
  const rows: Rows = { orders: [], order_history: [], stock_movements: [] }
  for (let index = 0; index < count; index++) {
    const [id, pet_id, state] = [firstId + index, petIds[index % petIds.length] ?? 0, stateOf(index)]
    const [placedAt, quantity] = [Math.floor(start + index * stepMs), 1 + (index % 3)]
    const add = (minute: number, kind: string, changes: object, delta: number, cause: string) => {
      const at = placedAt + minute * 60_000
      rows.order_history.push({
        order_id: id,
        key_id: keyId,
        kind,
        changes: JSON.stringify(changes),
        at,
        by_key_id: keyId,
      })
      if (delta !== 0)
        rows.stock_movements.push({ pet_id, delta, cause, order_id: id, reason: null, at, by_key_id: keyId })
    }
    const isComplete = state === 'placed complete'
    const placed = { petId: { to: pet_id }, quantity: { to: quantity }, complete: { to: isComplete } }
    add(0, 'placed', placed, -quantity, 'ordered')
    if (state === 'changed') add(1, 'changed', { quantity: { from: quantity, to: quantity + 1 } }, -1, 'order changed')
    if (state === 'changed' || state === 'completed')
      add(2, 'completed', { complete: { from: false, to: true } }, 0, '')
    if (state === 'cancelled') {
      const gone = { petId: { from: pet_id }, quantity: { from: quantity }, complete: { from: false } }
      add(3, 'cancelled', gone, quantity, 'cancelled')
      continue
    }
    rows.orders.push({
      id,
      key_id: keyId,
      pet_id,
      quantity: state === 'changed' ? quantity + 1 : quantity,
      ship_date: index % 7 === 0 ? placedAt + 86_400_000 : null,
      complete: state === 'open' ? 0 : 1,
      created_at: placedAt,
    })
  }
  return rows
}

const indexes = Array.from({ length: count }, (_, index) => index)
const done = new Set(indexes.filter((index) => stateOf(index) !== 'open').map((index) => firstId + index))
const isDone = ({ order_id }: Row) => done.has(Number(order_id))
const sample = createRows([1])

export const oldOrders = {
  /** All but the open ones. */
  ids: [...done],
  openId: firstId + 49,
  cancelled: indexes.filter((index) => stateOf(index) === 'cancelled').length,
  /** What there is to archive. */
  archived: {
    orders: done.size,
    history: sample.order_history.filter(isDone).length,
    movements: sample.stock_movements.filter(isDone).length,
  },
}

/** Adds the orders to a database in which these pets are in stock, or none are yet. */
export async function fillWithOldOrders(url: string, petIds: readonly number[]): Promise<void> {
  await using db = await openForCommand({ url, name: 'petstore-test', patienceMs: 60_000 })
  await db.exclusively(async (tx) => {
    await tx.query(
      "INSERT INTO categories (name, name_folded) SELECT 'Old', 'old' WHERE NOT EXISTS (SELECT 1 FROM categories)",
    )
    for (const id of petIds) {
      await tx.query(
        `INSERT INTO pets (id, name, name_folded, category_id, status) SELECT CAST($1 AS bigint), 'Old', 'old', min(id), 'available'
         FROM categories WHERE TRUE ON CONFLICT (id) DO NOTHING`,
        [id],
      )
      await insert(tx, 'stock_movements', [{ pet_id: id, delta: 5_000, cause: 'set', at: start - 1 }])
    }
    for (const [table, rows] of Object.entries(createRows(petIds))) await insert(tx, table, rows)
    for (const statement of tx.dialect.continueIds('orders', firstId + count)) await tx.query(statement)
    await tx.query(
      `INSERT INTO inventory (pet_id, quantity) SELECT pet_id, sum(delta) FROM stock_movements GROUP BY pet_id HAVING TRUE
       ON CONFLICT (pet_id) DO UPDATE SET quantity = excluded.quantity`,
    )
  })
}

async function insert(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  for (let from = 0; from < rows.length; from += 100) {
    const values: Value[] = []
    const tuples = rows
      .slice(from, from + 100)
      .map((row) => `(${columns.map((column) => `$${values.push(row[column] ?? null)}`).join(', ')})`)
    await tx.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples.join(', ')}`, values)
  }
}

/** Every column of every order, line of history and stock movement except the opening balances, as JSON. */
export async function rowsOf(url: string): Promise<string[]> {
  await using db = await openForCommand({ url, name: 'petstore-test', patienceMs: 60_000 })
  const rows: Row[] = []
  for (const table of ['orders', 'order_history', 'stock_movements']) {
    const filter = table === 'stock_movements' ? "WHERE cause <> 'archived'" : ''
    rows.push(...(await db.query<Row>(`SELECT * FROM ${table} ${filter} ORDER BY id`)))
  }
  return rows.map((row) => JSON.stringify(row))
}

/** What the stock movements of each pet add up to, with its opening balance. */
export async function sumsOf(url: string): Promise<{ pet_id: number; sum: number }[]> {
  await using db = await openForCommand({ url, name: 'petstore-test' })
  return await db.query(
    'SELECT pet_id, CAST(sum(delta) AS bigint) AS sum FROM stock_movements GROUP BY pet_id ORDER BY pet_id',
  )
}
