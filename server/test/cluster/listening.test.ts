import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { SQL } from 'bun'
import type { Database } from '../../src/platform/db/database.ts'
import { openPostgres } from '../../src/platform/db/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { asSuperuser } from '../harness/run/ordinary-role.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')('the LISTEN connection', () => {
  const role = `petstore_role_${randomBytes(6).toString('hex')}`
  const rejections: unknown[] = []
  let database: TestDatabase
  let sql: SQL
  let db: Database
  beforeAll(async () => {
    database = await createTestDatabase()
    sql = new SQL(asSuperuser(database.url), { max: 1 })
    await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
    const url = new URL(database.url)
    url.username = role
    url.password = 'secret'
    db = await openPostgres({
      url: url.href,
      connectionsMax: 1,
      applicationName: 'listening',
      onListenFailure: (error) => rejections.push(error),
    })
  })
  afterAll(async () => {
    await db.close()
    await sql.unsafe(`DROP ROLE ${role}`)
    await sql.close()
    await database.remove()
  })

  const until = async (isSo: () => boolean) => {
    await eventually(isSo)
  }
  const listeningPids = async () =>
    (await sql.unsafe("SELECT pid FROM pg_stat_activity WHERE usename = $1 AND query LIKE 'LISTEN%'", [role])).map(
      ({ pid }: { pid: number }) => pid,
    )

  test('is rejected at first, retried until it works, and works again after it was cut', async () => {
    const heard: string[] = []
    let missed = 0
    // No one may connect now; the server is still busy with the connections of the start, and so are we.
    await sql.unsafe(`ALTER ROLE ${role} CONNECTION LIMIT 0`)
    db.listen(
      'news',
      (payload) => heard.push(payload),
      () => missed++,
    )
    await until(() => rejections.length === 1)
    expect(missed).toBe(0)

    await sql.unsafe(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
    await until(() => missed === 1)
    await sql.unsafe("SELECT pg_notify('news', 'first')")
    await until(() => heard.length === 1)

    for (const pid of await listeningPids()) await sql.unsafe('SELECT pg_terminate_backend($1::int)', [pid])
    await until(() => missed === 2)
    await sql.unsafe("SELECT pg_notify('news', 'second')")
    await until(() => heard.length === 2)
    expect(heard).toEqual(['first', 'second'])
    expect(rejections).toHaveLength(1)

    // Each outage is reported once.
    await sql.unsafe(`ALTER ROLE ${role} CONNECTION LIMIT 0`)
    for (const pid of await listeningPids()) await sql.unsafe('SELECT pg_terminate_backend($1::int)', [pid])
    await until(() => rejections.length === 2)
    await sql.unsafe(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
    await until(() => missed === 3)
    expect(rejections).toHaveLength(2)
  })

  test('receives notifications of a channel added later, and of one added twice', async () => {
    const heard: string[] = []
    const ready = Promise.withResolvers<void>()
    db.listen('later', (payload) => heard.push(`one ${payload}`), ready.resolve)
    db.listen('later', (payload) => heard.push(`two ${payload}`))
    await ready.promise
    await sql.unsafe("SELECT pg_notify('later', 'said')")
    await until(() => heard.length === 2)
    expect(heard).toEqual(['one said', 'two said'])
  })
})
