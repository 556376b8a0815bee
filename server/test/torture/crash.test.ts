import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { createOneNode, type OneNode } from '../harness/one-node.ts'
import { seeded } from '../harness/seeded.ts'

// kill -9 in the middle of a stream of writes. SQLite only: with PostgreSQL another process keeps the data.

const sqliteOnly = test.if(process.env.TEST_ENGINE !== 'postgres')
const rounds = Number(process.env.CRASH_ROUNDS ?? 8)
const workers = 8
/** A round takes a second; a busy machine may take longer. */
const timeoutMs = rounds * 20_000
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 32))
process.stdout.write(`crash: CRASH_SEED=${seed}\n`)
const random = seeded(seed)

const orders = await createOneNode()
const pets = await createOneNode()
afterAll(async () => {
  await orders.remove()
  await pets.remove()
})

/** Runs `work` repeatedly in several workers, and kills the process after a random number of responses. */
async function streamUntilKilled(node: OneNode, work: () => Promise<void>): Promise<void> {
  let killAfter = 20 + random(380)
  let killed: Promise<void> | undefined
  const worker = async () => {
    while (!killed) {
      try {
        await work()
      } catch (error) {
        if (!killed) throw error
      }
      if (--killAfter <= 0) killed ??= node.kill()
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
  await killed
}

function inspect<T>(node: OneNode, look: (db: Database) => T): T {
  const db = new Database(node.databasePath, { readonly: true })
  try {
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
    return look(db)
  } finally {
    db.close()
  }
}

/** Starts, works, kills and checks in several rounds; the last check is after the last kill. */
async function killRepeatedly(
  node: OneNode,
  prepare: () => Promise<void>,
  work: () => Promise<void>,
  check: () => Promise<void>,
) {
  await node.start()
  await prepare()
  for (let round = 0; round < rounds; round++) {
    await streamUntilKilled(node, work)
    await node.start()
    await check()
  }
}

sqliteOnly(
  `${rounds} times kill -9 during orders and cancellations: none is lost, and the stock balances`,
  async () => {
    const acknowledged = new Map<number, { petId: number; quantity: number }>()
    const cancelled = new Set<number>()
    const stockPerPet = 1_000_000
    const petIds: number[] = []

    const prepare = async () => {
      const { body: category } = await orders.send('POST', '/categories', { name: 'Dogs' })
      for (const name of ['Rex', 'Max', 'Ben']) {
        const { body: pet } = await orders.send('POST', '/pets', { name, categoryId: category.id })
        await orders.send('PUT', `/store/inventory/${pet.id}`, { quantity: stockPerPet })
        petIds.push(pet.id)
      }
    }
    const work = async () => {
      const order = { petId: petIds[random(petIds.length)] as number, quantity: 1 + random(4) }
      const { status, body } = await orders.send('POST', '/store/orders', order)
      expect(status).toBe(201)
      acknowledged.set(body.id, order)
      if (random(2) === 0) return
      // Until the response it is not known whether it is cancelled.
      acknowledged.delete(body.id)
      expect((await orders.send('DELETE', `/store/orders/${body.id}`)).status).toBe(204)
      cancelled.add(body.id)
    }
    const check = async () => {
      inspect(orders, (db) => {
        const rows = db.query('SELECT id, pet_id, quantity FROM orders').all() as Record<string, number>[]
        const stored = new Map(rows.map(({ id, pet_id, quantity }) => [id, { petId: pet_id, quantity }]))
        expect([...acknowledged].filter(([id, order]) => !isDeepStrictEqual(stored.get(id), order))).toEqual([])
        expect([...cancelled].filter((id) => stored.has(id))).toEqual([])
        for (const petId of petIds) {
          const one = (sql: string) => (db.query(sql).get(petId) as { n: number }).n
          const inStock = one('SELECT quantity AS n FROM inventory WHERE pet_id = ?')
          expect(one('SELECT sum(delta) AS n FROM stock_movements WHERE pet_id = ?')).toBe(inStock)
          expect(inStock + one('SELECT coalesce(sum(quantity), 0) AS n FROM orders WHERE pet_id = ?')).toBe(stockPerPet)
        }
      })
      const [id, order] = [...acknowledged].at(-1) ?? []
      expect((await orders.send('GET', `/store/orders/${id}`)).body).toMatchObject(order as object)
    }
    await killRepeatedly(orders, prepare, work, check)
  },
  timeoutMs,
)

sqliteOnly(
  `${rounds} times kill -9 during new pets: none is lost, and each has its stock`,
  async () => {
    const acknowledged = new Map<number, string>()
    let categoryId = 0

    const prepare = async () => {
      categoryId = (await pets.send('POST', '/categories', { name: 'Dogs' })).body.id
    }
    const work = async () => {
      const name = `Rex ${random(2 ** 32)}`
      const { status, body } = await pets.send('POST', '/pets', { name, categoryId })
      expect(status).toBe(201)
      acknowledged.set(body.id, name)
    }
    const check = async () => {
      inspect(pets, (db) => {
        const rows = db.query('SELECT id, name FROM pets').all() as { id: number; name: string }[]
        const stored = new Map(rows.map(({ id, name }) => [id, name]))
        expect([...acknowledged].filter(([id, name]) => stored.get(id) !== name)).toEqual([])
        const count = (sql: string) => (db.query(sql).get() as { n: number }).n
        expect(count('SELECT count(*) AS n FROM inventory WHERE quantity = 1')).toBe(stored.size)
        expect(count('SELECT sum(delta) AS n FROM stock_movements')).toBe(stored.size)
        expect(count("SELECT count(*) AS n FROM pets_search WHERE pets_search MATCH 'rex'")).toBe(stored.size)
      })
      const [id, name] = [...acknowledged].at(-1) ?? []
      expect((await pets.send('GET', `/pets?ids=${id}`)).body[0]?.name).toBe(name)
    }
    await killRepeatedly(pets, prepare, work, check)
  },
  timeoutMs,
)
