import { afterAll, beforeEach, expect, test } from 'bun:test'
import { ConstraintViolation, type Count, type Insert, type Transaction } from '../../../src/platform/db/database.ts'
import { byHundreds } from '../../../src/platform/db/many.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { openForCommand } from '../../../src/platform/db/open.ts'
import { petShop } from '../../../src/shop/index.ts'
import { createTestDatabase } from '../../harness/database.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { startCountedWay } from '../../harness/round-trips.ts'

// Statements that are sent without waiting for their result, and ids that are assigned before their row exists.

const database = await createTestDatabase()
const db = await openForCommand({ url: database.url, name: 'test' })
await migrate(db, Date.now(), petShop.migrations)
beforeEach(() => db.transaction(async (tx) => void tx.send('DELETE FROM categories')))
afterAll(async () => {
  await db.close()
  await database.remove()
})

const add = (tx: Transaction, name: string) =>
  tx.send('INSERT INTO categories (name, name_folded) VALUES ($1, $1)', [name])
/** There is no such category. */
const violateForeignKey =
  "INSERT INTO pets (name, name_folded, category_id, status) VALUES ('Rex', 'rex', 999999, 'available')"
const names = async () =>
  (await db.query<{ name: string }>('SELECT name FROM categories ORDER BY id')).map(({ name }) => name)

test('many rows are sent by hundreds, then tens, then the rest', () => {
  const sizes = (rows: number) => [...byHundreds(Array.from({ length: rows }))].map(({ length }) => length)
  expect([0, 9, 10, 100, 212].map(sizes)).toEqual([[], [9], [10], [100], [100, 100, 10, 2]])
})

test('sent statements run in order, before a later query', async () => {
  const seen = await db.transaction(async (tx) => {
    add(tx, 'first')
    add(tx, 'second')
    tx.send("UPDATE categories SET name = 'third' WHERE name = 'second'")
    return tx.query('SELECT name FROM categories ORDER BY id')
  })
  expect(seen).toEqual([{ name: 'first' }, { name: 'third' }])
  expect(await names()).toEqual(['first', 'third'])
})

test('writes to several tables that are sent together all run, each with its own values', async () => {
  await db.transaction(async (tx) => {
    await tx.query("INSERT INTO categories (id, name, name_folded) VALUES (700, 'Kind', 'kind')")
    await tx.query(
      "INSERT INTO pets (id, name, name_folded, category_id, status) VALUES (700, 'Rex', 'rex', 700, 'available')",
    )
  })
  await db.transaction(async (tx) => {
    tx.send('UPDATE pets SET name = $2 WHERE id = $1', [700, 'Bess'])
    tx.send('INSERT INTO inventory (pet_id, quantity) VALUES ($1, $2)', [700, 5])
    tx.send('UPDATE categories SET name = $1 WHERE id = $2', ['Breed', 700])
    tx.send('UPDATE inventory SET quantity = quantity + $2 WHERE pet_id = $1', [700, 2])
  })
  const rows = await db.query(
    `SELECT pets.name AS pet, categories.name AS category, quantity FROM pets
     JOIN categories ON categories.id = category_id JOIN inventory ON pet_id = pets.id WHERE pets.id = 700`,
  )
  expect(rows).toEqual([{ pet: 'Bess', category: 'Breed', quantity: 7 }])
  await db.transaction(async (tx) => void tx.send('DELETE FROM pets WHERE id = 700'))
})

const intoInventory: Insert<{ readonly pet_id: number; readonly quantity: number }> = {
  table: 'inventory',
  columns: ['pet_id', 'quantity'],
}
const setInventory = { ...intoInventory, replaces: ['pet_id'] } as const
const stock: Count = { table: 'inventory', key: 'pet_id', column: 'quantity' }

/** Stock counts of three pets after `work`, whose changes are then undone. */
async function stockAfter(work: (tx: Transaction) => void): Promise<Record<number, number>> {
  let rows: { pet_id: number; quantity: number }[] = []
  const undone = db.transaction(async (tx) => {
    await tx.query("INSERT INTO categories (id, name, name_folded) VALUES (800, 'Kind', 'kind')")
    await tx.query(`INSERT INTO pets (id, name, name_folded, category_id, status)
      VALUES (801, 'a', 'a', 800, 'available'), (802, 'b', 'b', 800, 'available'), (803, 'c', 'c', 800, 'available')`)
    work(tx)
    rows = await tx.query('SELECT pet_id, quantity FROM inventory WHERE pet_id > 800 ORDER BY pet_id')
    throw new Error('undone')
  })
  expect(String(await failureOf(undone))).toBe('Error: undone')
  return Object.fromEntries(rows.map(({ pet_id, quantity }) => [pet_id, quantity]))
}

test('rows that are inserted by several calls are all there, in order', async () => {
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => ({ name: `${from + index}`, name_folded: 'kind' }))
  const intoCategories: Insert<{ name: string; name_folded: string }> = {
    table: 'categories',
    columns: ['name', 'name_folded'],
    computed: () => ({ description: "'computed ' || 7" }),
  }
  await db.transaction(async (tx) => {
    tx.insert(intoCategories, [])
    tx.insert(intoCategories, rows(1, 1))
    tx.insert(intoCategories, rows(2, 123))
    tx.insert(intoCategories, [{ name: '"quoted", \\ and ✓', name_folded: '' }])
  })
  expect(await names()).toEqual([...rows(1, 123).map(({ name }) => name), '"quoted", \\ and ✓'])
  expect(await db.query('SELECT DISTINCT description FROM categories')).toEqual([{ description: 'computed 7' }])
})

test('a row that is to be replaced has the last of its values, by one call or several', async () => {
  const counts = await stockAfter((tx) => {
    tx.insert(setInventory, [
      { pet_id: 801, quantity: 1 },
      { pet_id: 802, quantity: 2 },
    ])
    tx.insert(setInventory, [{ pet_id: 801, quantity: 10 }])
    tx.insert(setInventory, [{ pet_id: 803, quantity: 3 }])
  })
  expect(counts).toEqual({ 801: 10, 802: 2, 803: 3 })
})

test('additions to counts add up, in order with other changes of the table', async () => {
  const counts = await stockAfter((tx) => {
    tx.insert(intoInventory, [
      { pet_id: 801, quantity: 5 },
      { pet_id: 802, quantity: 5 },
    ])
    tx.add(stock, 801, -2)
    tx.add(stock, 802, 3)
    tx.add(stock, 801, -1)
    tx.insert(setInventory, [{ pet_id: 802, quantity: 1 }])
    tx.add(stock, 802, 1)
  })
  expect(counts).toEqual({ 801: 2, 802: 2 })
})

test('a sent statement that fails makes the transaction fail', async () => {
  const failing = db.transaction(async (tx) => {
    add(tx, 'before')
    tx.send(violateForeignKey)
  })
  expect(await failureOf(failing)).toBeInstanceOf(ConstraintViolation)
  expect(await names()).toEqual([])
})

test('a query after it fails with its reason', async () => {
  const failing = db.transaction(async (tx) => {
    add(tx, 'before')
    tx.send(violateForeignKey)
    await tx.query('SELECT 1 AS found')
  })
  expect(await failureOf(failing)).toBeInstanceOf(ConstraintViolation)
  expect(await names()).toEqual([])
})

test('sending it throws nothing: the next query fails with its reason, later statements do not run, and the transaction fails', async () => {
  const reasons: unknown[] = []
  const failing = db.transaction(async (tx) => {
    tx.send(violateForeignKey)
    add(tx, 'later')
    reasons.push(await failureOf(Promise.resolve(tx.query('SELECT 1 AS found'))))
    add(tx, 'latest')
    reasons.push(await failureOf(Promise.resolve(tx.nextId('orders'))))
    reasons.push(await failureOf(tx.tryLock('lock')))
  })
  expect(await failureOf(failing)).toBeInstanceOf(ConstraintViolation)
  expect(reasons.map((reason) => reason instanceof ConstraintViolation)).toEqual([true, true, true])
  expect(await names()).toEqual([])
})

test('a savepoint undoes a sent statement that failed in it, and the transaction goes on', async () => {
  await db.transaction(async (tx) => {
    add(tx, 'before')
    const undone = tx.savepoint(async () => {
      add(tx, 'inside')
      tx.send(violateForeignKey)
      await tx.query('SELECT 1 AS found')
    })
    expect(await failureOf(undone)).toBeInstanceOf(ConstraintViolation)
    add(tx, 'after')
  })
  expect(await names()).toEqual(['before', 'after'])
})

test('a savepoint that ends with a failed sent statement unnoticed does not hide it from the transaction', async () => {
  const failing = db.transaction(async (tx) => {
    add(tx, 'before')
    await tx.savepoint(async () => tx.send(violateForeignKey))
    add(tx, 'after')
  })
  expect(await failureOf(failing)).toBeInstanceOf(ConstraintViolation)
  expect(await names()).toEqual([])
})

test('an undone outer savepoint takes an inner one along whose sent statement failed', async () => {
  await db.transaction(async (tx) => {
    add(tx, 'before')
    const undone = tx.savepoint(async () => {
      add(tx, 'outer')
      await tx.savepoint(async () => tx.send(violateForeignKey))
      throw new Error('rejected')
    })
    expect(await failureOf(undone)).toEqual(new Error('rejected'))
    add(tx, 'after')
  })
  expect(await names()).toEqual(['before', 'after'])
})

test('of several failures, the reason is that of the first statement, whichever is reported first', async () => {
  // Through a proxy that delivers responses together, as a busy machine does.
  const way = process.env.TEST_ENGINE === 'postgres' ? await startCountedWay(database.url) : undefined
  const far = way ? await openForCommand({ url: way.url, name: 'test' }) : db
  // The first failure passes through more promises than the second, which PostgreSQL rejects only because of the first.
  const slowly = async (tx: Transaction, steps: number): Promise<unknown> =>
    steps === 0 ? tx.query(violateForeignKey) : await slowly(tx, steps - 1)
  for (let times = 0; times < 5; times++) {
    // Prepared in advance, so that it is rejected as late as the first.
    await far.transaction((tx) => Promise.resolve(tx.query('SELECT 1 AS found')))
    const failing = far.transaction((tx) => Promise.all([slowly(tx, 10), tx.query('SELECT 1 AS found')]))
    expect(await failureOf(failing)).toBeInstanceOf(ConstraintViolation)
  }
  if (!way) return
  await far.close()
  way.stop()
})

test('an undone savepoint undoes what was sent in it, failed or not', async () => {
  await db.transaction(async (tx) => {
    add(tx, 'before')
    const undone = tx.savepoint(async () => {
      add(tx, 'inside')
      const rejected = Promise.resolve(tx.query(violateForeignKey))
      rejected.catch(() => undefined)
      // On PostgreSQL this one fails too, because it is pipelined after the rejected one.
      add(tx, 'behind')
      await rejected
    })
    expect(await failureOf(undone)).toBeInstanceOf(ConstraintViolation)
    add(tx, 'after')
  })
  expect(await names()).toEqual(['before', 'after'])
})

test('an undone savepoint discards its notifications', async () => {
  const heard: string[] = []
  db.listen('undone', (payload) => void heard.push(payload))
  await db.transaction(async (tx) => {
    tx.notifyLocally('undone', 'before')
    await tx
      .savepoint(async () => {
        tx.notifyLocally('undone', 'inside')
        throw new Error('rejected')
      })
      .catch(() => undefined)
    tx.notifyLocally('undone', 'after')
  })
  expect(heard).toEqual(['before', 'after'])
})

test('an id is assigned once, whether its row exists yet or not, and the table continues after it', async () => {
  const insert = (tx: Transaction, id: number) =>
    tx.send('INSERT INTO orders (id, key_id, pet_id, quantity, complete, created_at) VALUES ($1, $2, 1, 1, 1, 0)', [
      id,
      keyId,
    ])
  let keyId = 0
  const drawn = await db.transaction(async (tx) => {
    const [key] = await tx.query<{ id: number }>(
      `INSERT INTO api_keys (name, prefix, plan, per_minute, per_day, scopes, manages_keys, created_at)
       VALUES ('Key', 'pk', 'free', 1, 1, '', 0, 0) RETURNING id`,
    )
    keyId = key?.id ?? 0
    const ids = await Promise.all([tx.nextId('orders'), tx.nextId('orders')])
    for (const id of ids) insert(tx, id)
    return ids
  })
  const [assigned] = await db.transaction((tx) =>
    tx.query<{ id: number }>(
      'INSERT INTO orders (key_id, pet_id, quantity, complete, created_at) VALUES ($1, 1, 1, 1, 0) RETURNING id',
      [keyId],
    ),
  )
  const next = await db.transaction((tx) => tx.nextId('orders'))
  expect([...drawn, assigned?.id, next]).toEqual([1, 2, 3, 4])
})
