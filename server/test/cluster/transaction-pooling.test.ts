import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openPostgres, type PostgresDatabase } from '../../src/platform/db/postgres.ts'
import { createMigratedDatabase, type TestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { byMinute } from '../harness/flood.ts'
import { call, type Nodes, startNodes } from '../harness/nodes.ts'
import { patiently } from '../harness/patiently.ts'
import { isAtLeast, type PgBouncer, pgBouncer, preparingPgBouncer, startPgBouncer } from '../harness/pgbouncer.ts'
import { openStream } from '../platform/feed/reader.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const own = onPostgres ? pgBouncer() : undefined
// Fewer than a node has connections, so that backends change.
const poolSize = 4
const settings = ['pool_mode = transaction', `default_pool_size = ${poolSize}`]

const poolers = [
  {
    name: 'that follows prepared statements',
    command: onPostgres ? preparingPgBouncer() : undefined,
    settings: [...settings, 'max_prepared_statements = 200'],
    isPrepared: true,
  },
  {
    name: 'that does not follow prepared statements',
    command: own,
    settings: [...settings, ...(own && isAtLeast(own, 1, 21) ? ['max_prepared_statements = 0'] : [])],
    isPrepared: false,
  },
]

for (const { name, command, settings, isPrepared } of poolers) {
  describe.if(command !== undefined)(`behind a PgBouncer with transaction pooling ${name}`, () => {
    let database: TestDatabase
    let bouncer: PgBouncer
    let cluster: Nodes
    beforeAll(async () => {
      database = await createMigratedDatabase()
      bouncer = await startPgBouncer(command ?? [], database.url, settings)
      const env = { DATABASE_DIRECT_URL: database.url, WEBHOOK_ALLOW_PRIVATE: 'true' }
      cluster = await startNodes(2, env, bouncer.url)
    })
    afterAll(async () => {
      await cluster.stop()
      await bouncer.stop()
      await database.remove()
    })

    const urlOf = (index: number) => cluster.nodes[index % 2]?.url ?? ''
    const admin = (method: string, path: string, body?: unknown) =>
      call(urlOf(0), cluster.adminSecret, method, path, body)
    const newKey = async (limits: object) =>
      (await admin('POST', '/keys', { name: 'Test', preset: 'client', plan: 'enterprise', limits })).body.secret
    const ample = { perMinute: 1_000_000, perDay: 1_000_000 }
    const newCategory = async () => (await admin('POST', '/categories', { name: 'Fish' })).body.id
    async function newPet(quantity: number): Promise<number> {
      const { body: pet } = await admin('POST', '/pets', { name: 'Guppy', categoryId: await newCategory() })
      await admin('PUT', `/store/inventory/${pet.id}`, { quantity })
      return pet.id
    }
    const open = (patienceMs?: number): Promise<PostgresDatabase> =>
      openPostgres({
        url: bouncer.url,
        directUrl: database.url,
        connectionsMax: 4,
        readersMax: 2,
        applicationName: 'pooled',
        ...(patienceMs !== undefined && { patienceMs }),
      })

    test('more orders than the stock sell exactly the stock, on no more connections than the pool has', async () => {
      const secret = await newKey(ample)
      const petId = await newPet(60)
      const responses = await Promise.all(
        Array.from({ length: 300 }, (_, index) =>
          patiently(() => call(urlOf(index), secret, 'POST', '/store/orders', { petId })),
        ),
      )
      const count = (status: number) => responses.filter((response) => response.status === status).length
      expect({ sold: count(201), rejected: count(409) }).toEqual({ sold: 60, rejected: 240 })
      expect((await admin('GET', `/store/inventory/${petId}`)).body.quantity).toBe(0)
      expect((await admin('GET', `/store/orders?petId=${petId}&limit=100`)).body).toHaveLength(60)
      await using sql = new SQL(database.url, { max: 1 })
      const [{ pooled, listening }] = await sql.unsafe(
        `SELECT count(*) FILTER (WHERE application_name NOT LIKE '%-listens' AND pid <> pg_backend_pid())::int AS pooled,
           count(*) FILTER (WHERE application_name = 'petstore-listens')::int AS listening
         FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
      )
      expect(pooled).toBeLessThanOrEqual(poolSize)
      expect(listening).toBe(2)
    })

    test('a limit holds on both nodes together', async () => {
      const secret = await newKey({ perMinute: 40, perDay: 1_000 })
      const responses = await Promise.all(
        Array.from({ length: 100 }, (_, index) => patiently(() => call(urlOf(index), secret, 'GET', '/pets?limit=1'))),
      )
      for (const minute of byMinute(responses)) {
        const admitted = minute.filter(({ status }) => status === 200).length
        expect(admitted).toBe(Math.min(40, minute.length))
      }
    })

    test('a stream of one node has the events of the other, and a webhook gets them', async () => {
      await using receiver = await startReceiver()
      const { status } = await admin('POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
      expect(status).toBe(201)
      const stream = await openStream(`${urlOf(1)}/events/stream?type=category.created`, cluster.adminSecret)
      await stream.until(() => stream.lastId() !== undefined)
      const made = await Promise.all(Array.from({ length: 5 }, newCategory))
      await stream.until(() => stream.events.length === 5)
      expect(stream.events.map(({ data }) => data.id).toSorted()).toEqual(made.toSorted())
      stream.close()
      await eventually(
        () => receiver.received.length >= 5,
        () => receiver.received.length,
      )
    })

    test('its settings hold in its transactions, and in no one else’s', async () => {
      await using db = await open(1_234)
      const shown = `SELECT current_setting('statement_timeout') AS timeout, current_setting('enable_seqscan') AS scans`
      const read = await Promise.all(Array.from({ length: 20 }, () => db.query(shown)))
      expect(new Set(read.flat().map((row) => JSON.stringify(row)))).toEqual(
        new Set([JSON.stringify({ timeout: '1234ms', scans: 'off' })]),
      )
      expect(await db.transaction((tx) => tx.query(shown))).toEqual([{ timeout: '1234ms', scans: 'on' }])
      await using other = new SQL(bouncer.url, { max: 1, prepare: false })
      const [seen] = await other.unsafe(shown).simple()
      expect(seen).not.toMatchObject({ timeout: '1234ms' })
      expect(seen).toMatchObject({ scans: 'on' })
    })

    test('statements are prepared only by a pooler that follows them', async () => {
      await using db = await open()
      const reads = Array.from({ length: 40 }, (_, index) =>
        db.query<{ given: number }>('SELECT $1::bigint AS given', [index]),
      )
      expect((await Promise.all(reads)).map(([row]) => row?.given)).toEqual(reads.map((_, index) => index))
      const named = await db.transaction(async (tx) => {
        await tx.query('SELECT $1::bigint AS named', [1])
        return tx.query("SELECT 1 FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::bigint AS named%'")
      })
      expect(named.length > 0).toBe(isPrepared)
    })

    test('a read that fails harms none of those that were sent with it', async () => {
      await using db = await open()
      const [before, failed, after] = await Promise.allSettled([
        db.query('SELECT 1 AS one'),
        db.query('SELECT 1 / 0 AS none'),
        db.query('SELECT 2 AS two'),
      ])
      expect([before, after]).toEqual([
        { status: 'fulfilled', value: [{ one: 1 }] as never },
        { status: 'fulfilled', value: [{ two: 2 }] as never },
      ])
      expect(failed.status).toBe('rejected')
      expect(String(await failureOf((async () => db.query('SELECT 1 / 0 AS none'))()))).toContain('division by zero')
    })

    test('an order that is waited for too long is withdrawn', async () => {
      const petId = await newPet(1)
      await using sql = new SQL(database.url, { max: 1 })
      const locked = await sql.reserve()
      await locked.unsafe('BEGIN')
      await locked.unsafe(`SELECT pg_advisory_xact_lock(hashtextextended('pets ' || ${petId}, 0))`)
      const { status, body } = await call(urlOf(0), cluster.adminSecret, 'POST', '/store/orders', { petId })
      await locked.unsafe('ROLLBACK')
      locked.release()
      expect([status, body.code]).toEqual([503, 'unavailable'])
      expect((await admin('GET', `/store/inventory/${petId}`)).body.quantity).toBe(1)
    })
  })
}
