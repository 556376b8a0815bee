import { afterAll, describe, expect, test } from 'bun:test'
import { openPostgres } from '../../src/platform/db/postgres.ts'
import { rejectTransactionPooling } from '../../src/platform/db/postgres-pooling.ts'
import { createTestDatabase } from '../harness/database.ts'
import { failureOf } from '../harness/failure-of.ts'
import { call, startNodes } from '../harness/nodes.ts'
import { pgBouncer, startPgBouncer } from '../harness/pgbouncer.ts'

const command = process.env.TEST_ENGINE === 'postgres' ? pgBouncer() : undefined

test('a session that cannot be opened says so, and is not taken for pooling', async () => {
  const open = () => Promise.reject(new Error('connection refused'))
  expect(String(await failureOf(rejectTransactionPooling(open)))).toContain('connection refused')
})

describe.if(command !== undefined)('behind PgBouncer, without a direct connection', () => {
  const cleaning: (() => unknown)[] = []
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean()
  })

  /** The address of a new database through PgBouncer. */
  async function pooled(poolMode: string): Promise<string> {
    const database = await createTestDatabase()
    cleaning.push(database.remove)
    const bouncer = await startPgBouncer(command ?? [], database.url, [`pool_mode = ${poolMode}`])
    cleaning.push(bouncer.stop)
    return bouncer.url
  }

  test('session pooling works: a node starts and places orders, and its connections have their timeouts', async () => {
    const url = await pooled('session')
    const cluster = await startNodes(1, {}, url)
    cleaning.push(cluster.stop)
    const admin = (method: string, path: string, body: unknown) =>
      call(cluster.nodes[0]?.url ?? '', cluster.adminSecret, method, path, body)
    const { body: category } = await admin('POST', '/categories', { name: 'Fish' })
    const { body: pet } = await admin('POST', '/pets', { name: 'Guppy', categoryId: category.id })
    expect((await admin('POST', '/store/orders', { petId: pet.id })).status).toBe(201)

    const db = await openPostgres({ url, connectionsMax: 1, applicationName: 'pooled', patienceMs: 1_234 })
    cleaning.push(db.close)
    const settings = ['statement_timeout', 'idle_in_transaction_session_timeout', 'application_name']
    const rows = await db.query<{ name: string; setting: string }>(
      `SELECT name, setting FROM pg_settings WHERE name IN ('${settings.join("', '")}')`,
    )
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      statement_timeout: '1234',
      idle_in_transaction_session_timeout: '1234',
      application_name: 'pooled',
    })
  })

  test.each(['transaction', 'statement'])('%s pooling is rejected at startup with a message', async (poolMode) => {
    const url = await pooled(poolMode)
    expect(String(await failureOf(startNodes(1, {}, url)))).toContain('Set DATABASE_DIRECT_URL to PostgreSQL itself')
  })
})
