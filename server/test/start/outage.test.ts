import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { readConfig, showConfig } from '../../src/config.ts'
import { errorFields } from '../../src/platform/telemetry/log.ts'
import { petShop } from '../../src/shop/index.ts'
import { createTestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { type Recorder, recordStatements } from '../harness/run/record-statements.ts'
import { runService } from '../harness/run/run-service.ts'
import { startService } from '../harness/service.ts'

interface Line {
  readonly message: string
  readonly reason?: string
  readonly times?: number
}

const linesOf = (logged: readonly string[], message: string): Line[] =>
  logged
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.message === message)

test('a log line says that a node has started, with its version, schema and settings, but no secret', async () => {
  const service = await startService({ env: { LOG_LEVEL: 'info' } })
  service.context.log.flush()
  expect(linesOf(service.logged, 'started')).toMatchObject([
    {
      version: '1.0.0',
      schema: petShop.migrations.length,
      engine: process.env.TEST_ENGINE ?? 'sqlite',
      settings: { logLevel: 'info', adminApiKey: 'set', eventsKeptDays: 30 },
    },
  ])
  expect(service.logged.join('')).not.toContain(service.adminSecret)
  await service.stop()
})

test('of the address of the database, the log shows neither user nor password nor parameters', () => {
  const shown = showConfig(readConfig({ DATABASE_URL: 'postgres://shop:hidden@db1:5432,db2/pets?password=hidden' }))
  expect(shown.databaseUrl).toBe('postgres://db1:5432,db2/pets')
  const direct = 'postgres://shop:hid@den@db1:5432/pets'
  const { databaseUrl, databaseDirectUrl } = showConfig(
    readConfig({ DATABASE_URL: direct, DATABASE_DIRECT_URL: direct }),
  )
  expect([databaseUrl, databaseDirectUrl]).toEqual(['postgres://db1:5432/pets', 'postgres://db1:5432/pets'])
})

describe.if(process.env.TEST_ENGINE === 'postgres')('when PostgreSQL becomes unavailable', () => {
  test('one line per kind of failure and second is logged, not one per request', async () => {
    let way: Recorder | undefined
    const service = await startService({
      by: async (url) => {
        way = await recordStatements(url)
        return way.url
      },
    })
    await service.admin.get('/categories')
    way?.stop()
    const requests = 200
    const responses = await Promise.all(Array.from({ length: requests }, () => service.admin.get('/categories')))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]))
    const failures = () => linesOf(service.logged, 'request failed')
    const counted = () => failures().reduce((sum, { times = 1 }) => sum + times, 0)
    await eventually(() => {
      service.context.log.flush()
      return counted() >= requests
    }, counted)
    expect(counted()).toBe(requests)
    expect(failures().length).toBeLessThan(requests / 4)
    expect(failures().some(({ reason }) => reason?.includes('    at '))).toBe(false)
    await service.stop()
  })

  test('a connection that is lost during the commit is logged with its cause, once', async () => {
    const service = await startService()
    const failure = await failureOf(
      service.context.db.transaction((tx) => tx.send('SELECT pg_terminate_backend(pg_backend_pid())')),
    )
    expect(failure).toMatchObject({ effect: 'unknown' })
    expect(errorFields(failure).reason).toMatch(
      /^Error: the database is unavailable, because PostgresError: (terminating connection|Connection closed)/,
    )
    await service.stop()
  })

  test('a node whose connection breaks during startup retries, and shows the first key once', async () => {
    const database = await createTestDatabase()
    const sql = new SQL(database.url, { max: 1 })
    const node = runService({ env: { DATABASE_URL: database.url } })
    let cuts = 0
    // During the migrations, repeated until two cuts hit them.
    while (cuts < 2 && !node.output().includes('ready')) {
      const rows = await sql.unsafe(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'petstore'
         AND query LIKE '%CREATE%'`,
      )
      if (rows.length > 0) cuts++
    }
    await node.ready
    expect(node.output()).toContain('shown only once')
    expect(node.errors()).toContain('will be retried')
    const { length } = await sql.unsafe('SELECT 1 FROM schema_versions')
    expect(length).toBe(petShop.migrations.length)
    await node.kill('SIGKILL')
    await sql.close()
    await database.remove()
  })
})
