import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL, type Subprocess } from 'bun'
import { openPostgres } from '../../src/platform/db/postgres.ts'
import { rejectTransactionPooling } from '../../src/platform/db/postgres-pooling.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { call, startNodes } from '../harness/nodes.ts'
import { debianProgram } from '../harness/run/debian-program.ts'
import { onFreePort } from '../harness/run/free-port.ts'

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const program = onPostgres ? debianProgram('pgbouncer') : undefined

test('a session that cannot be opened says so, and is not taken for pooling', async () => {
  const open = () => Promise.reject(new Error('connection refused'))
  expect(String(await failureOf(rejectTransactionPooling(open)))).toContain('connection refused')
})

describe.if(program !== undefined)('behind PgBouncer', () => {
  const cleaning: (() => unknown)[] = []
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean()
  })

  /** PgBouncer in front of the database, and the address through it. */
  const pooled = (database: TestDatabase, poolMode: string): Promise<string> =>
    onFreePort((port) => startPooling(database, poolMode, port))

  async function startPooling(database: TestDatabase, poolMode: string, bouncerPort: number): Promise<string> {
    const { hostname, port, username, password, pathname } = new URL(database.url)
    const directory = mkdtempSync(join(tmpdir(), 'petstore-pgbouncer-'))
    writeFileSync(join(directory, 'users.txt'), `"${username}" "${password}"\n`)
    writeFileSync(
      join(directory, 'pgbouncer.ini'),
      `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${bouncerPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(directory, 'users.txt')}
pool_mode = ${poolMode}
`,
    )
    // As root it must be told which user to run as, and that user needs access to its files.
    const isRoot = process.getuid?.() === 0
    chmodSync(directory, 0o755)
    const bouncer = Bun.spawn(
      [program as string, '--quiet', ...(isRoot ? ['--user', 'nobody'] : []), join(directory, 'pgbouncer.ini')],
      { stdout: 'ignore', stderr: 'ignore' },
    )
    cleaning.push(async () => {
      bouncer.kill('SIGKILL')
      await bouncer.exited
      rmSync(directory, { recursive: true, force: true })
    })
    await listens(bouncer, bouncerPort)
    return `postgres://${username}:${password}@127.0.0.1:${bouncerPort}${pathname}`
  }

  async function listens(bouncer: Subprocess, port: number): Promise<void> {
    const socket = await eventually(() => {
      if (bouncer.exitCode !== null) throw new Error('PgBouncer ended')
      return Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).catch(() => undefined)
    })
    socket.end()
  }

  test('session pooling works: a node starts and places orders, and its connections have their timeouts', async () => {
    const database = await createTestDatabase()
    cleaning.push(database.remove)
    const url = await pooled(database, 'session')
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
    const database = await createTestDatabase()
    cleaning.push(database.remove)
    const url = await pooled(database, poolMode)
    expect(String(await failureOf(startNodes(1, {}, url)))).toContain(
      'Configure session pooling (pool_mode = session in PgBouncer)',
    )
  })

  test('transaction pooling is detected even if the pooler supports prepared statements', async () => {
    const database = await createTestDatabase()
    cleaning.push(database.remove)
    const url = await pooled(database, 'transaction')
    // Newer versions do. Without prepared statements this one behaves the same.
    const open = async () => {
      const client = new SQL(url, { max: 1 })
      return { run: (sql: string) => client.unsafe(sql).simple(), close: () => client.close({ timeout: 0 }) }
    }
    expect(String(await failureOf(rejectTransactionPooling(open as never)))).toContain('pool_mode = session')
  })
})
