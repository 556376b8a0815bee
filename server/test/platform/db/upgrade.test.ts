import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { migrate, versionOf } from '../../../src/platform/db/migrate.ts'
import type { Migration } from '../../../src/platform/db/migration.ts'
import { openForCommand } from '../../../src/platform/db/open.ts'
import { petShop } from '../../../src/shop/index.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'

// PostgreSQL only: on SQLite one node has the file for itself.

const onPostgres = (...postgres: string[]) => ({ sqlite: [], postgres })

/** A made-up next release that changes the largest tables, each migration by the rules of CONTRIBUTING.md. */
const changes: Migration[] = [
  {
    name: 'gifts',
    statements: onPostgres(
      'ALTER TABLE orders ADD COLUMN gift bigint NOT NULL DEFAULT 0',
      'ALTER TABLE orders ADD CONSTRAINT orders_gift_check CHECK (gift IN (0, 1)) NOT VALID',
    ),
  },
  {
    name: 'valid gifts',
    buildIndexes: { orders_by_gift: 'orders (gift, id)' },
    statements: onPostgres('ALTER TABLE orders VALIDATE CONSTRAINT orders_gift_check'),
  },
  {
    name: 'spendings',
    statements: onPostgres(
      'CREATE TABLE spendings (order_id bigint PRIMARY KEY, units bigint NOT NULL)',
      'INSERT INTO spendings (order_id, units) SELECT id, quantity FROM orders',
    ),
  },
]

const nextRelease = petShop.migrations.length + changes.length + 1

/** Rejects the writes of programs that do not know it. Sessions of this release do not say what they know, which counts as nothing. */
const rejectsOldNodes: Migration = {
  name: 'writers',
  statements: onPostgres(
    `CREATE FUNCTION reject_old_program() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'this program is too old for the schema' USING ERRCODE = '53000'; END $$`,
    `CREATE TRIGGER reject_old_program BEFORE INSERT OR UPDATE OR DELETE ON inventory FOR EACH STATEMENT
     WHEN (coalesce(nullif(current_setting('petstore.program', true), ''), '0')::bigint < ${nextRelease})
     EXECUTE FUNCTION reject_old_program()`,
  ),
  oldestProgram: petShop.migrations.length + changes.length,
}

describe.if(process.env.TEST_ENGINE === 'postgres')('an upgrade beside load', () => {
  let service: Service
  let client: Client
  let petIds: number[]
  let sql: SQL

  beforeAll(async () => {
    service = await startService()
    client = await service.newClient()
    petIds = []
    for (let pet = 0; pet < 4; pet++) petIds.push(await service.admin.newPet(1_000_000))
    sql = new SQL(service.context.config.databaseUrl, { max: 1 })
    await sql.unsafe(
      `INSERT INTO orders (key_id, pet_id, quantity, complete, created_at)
       SELECT ${client.keyId}, ${petIds[0]}, 1, n % 2, n FROM generate_series(1, 20000) AS n`,
    )
  })
  afterAll(async () => {
    await sql.close()
    await service.stop()
  })

  /** Orders from all clients until `enough`. Returns the longest time in which none succeeded, and the failures. */
  async function orderUntil(enough: (orders: number) => boolean) {
    let [orders, longestPauseMs, lastAt] = [0, 0, performance.now()]
    const failures = new Set<string>()
    const notePause = () => {
      longestPauseMs = Math.max(longestPauseMs, performance.now() - lastAt)
    }
    const order = async (petId: number) => {
      while (!enough(orders)) {
        const { status } = await client.post('/store/orders', { petId })
        if (status === 201) {
          orders++
          notePause()
          lastAt = performance.now()
        } else failures.add(`${status} at version ${await versionOf(service.context.db)}`)
      }
    }
    await Promise.all(petIds.map(order))
    notePause()
    return { longestPauseMs, failures: [...failures] }
  }

  test('pauses writes for at most two seconds, and rejects those of old nodes only when everything else is done', async () => {
    const control = await orderUntil((orders) => orders >= 200)
    await using db = await openForCommand({ url: service.context.config.databaseUrl, name: 'migration' })
    let isDone = false
    const migrating = migrate(db, 0, [...petShop.migrations, ...changes, rejectsOldNodes]).finally(() => {
      isDone = true
    })
    const beside = await orderUntil(() => isDone)
    expect((await migrating).applied).toEqual([...changes, rejectsOldNodes].map(({ name }) => name))
    // On a busy machine orders pause without a migration too.
    expect(beside.longestPauseMs).toBeLessThan(2_000 + 3 * control.longestPauseMs)
    const rejected = await client.post('/store/orders', { petId: petIds[0] })
    expect([rejected.status, rejected.headers.has('retry-after')]).toEqual([503, true])
    expect(beside.failures.filter((failure) => failure !== `503 at version ${nextRelease}`)).toEqual([])

    // The old node still reads, and programs that know the new schema write.
    expect((await client.get(`/store/inventory/${petIds[0]}`)).status).toBe(200)
    await sql.unsafe(`SET petstore.program = ${nextRelease}`)
    const written = await sql.unsafe(`UPDATE inventory SET quantity = 1 WHERE pet_id = ${petIds[0]} RETURNING pet_id`)
    expect(written).toHaveLength(1)
  })
})
