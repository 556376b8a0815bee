import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { burstMs } from '../harness/flood.ts'
import { leapingClock } from '../harness/leaping-clock.ts'
import { call, metricOf, type Nodes, startNodes } from '../harness/nodes.ts'
import type { RunningService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

const onPostgres = process.env.TEST_ENGINE === 'postgres'

describe.if(onPostgres)('when part of the database does not respond', () => {
  const directory = newDirectory()
  const clock = leapingClock(join(directory.path, 'leap'))
  let cluster: Nodes
  let sql: SQL
  beforeAll(async () => {
    cluster = await startNodes(1, { METRICS_PORT: '0', LEAP_FILE: clock.file })
    sql = new SQL(cluster.databaseUrl, { max: 2 })
  })
  afterAll(async () => {
    await sql.close()
    await cluster.stop()
    directory.remove()
  })

  const nodeUrl = () => cluster.nodes[0]?.url ?? ''
  const admin = (method: string, path: string, body?: unknown) =>
    call(nodeUrl(), cluster.adminSecret, method, path, body)
  const newKey = async (plan: string) => (await admin('POST', '/keys', { name: 'Test', preset: 'client', plan })).body
  const listPets = (secret: string) => call(nodeUrl(), secret, 'GET', '/pets?limit=1')
  const readiness = async () => {
    const response = await fetch(`${nodeUrl()}/readyz`)
    return { status: response.status, body: await response.json() }
  }
  const limits = (where: 'own' | 'shared') => ({
    status: 200,
    body: { status: 'ok', database: 'ok', limits: where, clock: 'ok' },
  })
  /** The node's log lines from now on. */
  const logFromNow = () => {
    const log = () => cluster.nodes[0]?.errors() ?? ''
    const { length } = log()
    return { text: () => log().slice(length), count: (text: string) => log().slice(length).split(text).length - 1 }
  }

  const metric = (name: string) => metricOf(cluster.nodes[0] as RunningService, name)

  /** Runs `work` while the counters are unreachable and the rest of the database works. */
  async function withoutCounters(work: () => Promise<void>): Promise<void> {
    await sql.begin(async (tx) => {
      await tx.unsafe('LOCK TABLE rate_counters IN ACCESS EXCLUSIVE MODE')
      await work()
    })
  }

  async function takenUpAgain(): Promise<void> {
    await eventually(async () => (await metric('petstore_limiter_degraded')) === 0)
  }

  test('concurrent calls share a statement, and metrics show it', async () => {
    const { secret } = await newKey('business')
    const before = [await metric('petstore_limiter_batches_total'), await metric('petstore_limiter_calls_total')]
    await Promise.all(Array.from({ length: 200 }, () => listPets(secret)))
    const batches = (await metric('petstore_limiter_batches_total')) - (before[0] ?? 0)
    expect((await metric('petstore_limiter_calls_total')) - (before[1] ?? 0)).toBe(200)
    expect(batches).toBeGreaterThan(0)
    expect(batches).toBeLessThan(200)
    expect(await metric('petstore_limiter_wait_seconds_total')).toBeGreaterThan(0)
  })

  test('the node limits locally, reports it, and returns to the shared counters', async () => {
    const { id, secret } = await newKey('free')
    const log = logFromNow()
    const fallbacksBefore = await metric('petstore_limiter_fallbacks_total')
    clock.startMinute()
    for (let index = 0; index < 10; index++) expect((await listPets(secret)).status).toBe(200)
    expect(await readiness()).toEqual(limits('shared'))
    expect(await metric('petstore_limiter_degraded')).toBe(0)

    await withoutCounters(async () => {
      const responses = []
      for (let index = 0; index < 70; index++) responses.push(await listPets(secret))
      const served = responses.filter((response) => response.status === 200)
      expect(served).toHaveLength(50)
      expect(served.at(-1)?.headers.get('x-ratelimit-remaining')).toBe('0')
      expect(responses.slice(50).every((response) => response.body.code === 'rate_limited')).toBe(true)
      expect(await readiness()).toEqual(limits('own'))
      expect(await metric('petstore_limiter_degraded')).toBe(1)
    })

    await takenUpAgain()
    expect(await readiness()).toEqual(limits('shared'))
    // Log lines are buffered for a moment.
    await eventually(() => log.count('are back') !== 0)
    expect(log.count('do not respond')).toBe(1)
    expect(log.count('"reason":"Error: no response within 1000 ms"')).toBe(1)
    expect((await metric('petstore_limiter_fallbacks_total')) - fallbacksBefore).toBe(1)
    // The first of the fifty waited in the database and was counted there; the others were added later.
    const rows = await sql.unsafe(
      "SELECT period, used::int FROM rate_counters WHERE subject = $1 AND period IN ('day', 'minute') ORDER BY 1",
      [`key:${id}`],
    )
    expect(rows.map(({ period, used }: { period: string; used: number }) => [period, used])).toEqual([
      ['day', 60],
      ['minute', 60],
    ])
    expect((await listPets(secret)).body.code).toBe('rate_limited')
  })

  test('a lifted ban leaves no strikes in the shared counters, but those of other keys', async () => {
    const [banned, other] = [await newKey('free'), await newKey('free')]
    const strikesOf = async ({ id }: { id: number }) =>
      (await sql.unsafe("SELECT 1 FROM rate_counters WHERE subject = $1 AND period = 'strike'", [`key:${id}`])).length
    while ((await strikesOf(other)) === 0) await listPets(other.secret)
    while ((await listPets(banned.secret)).body.code !== 'key_banned');
    await admin('DELETE', `/keys/${banned.id}/ban`)
    await eventually(async () => (await strikesOf(banned)) === 0)
    expect(await strikesOf(other)).toBe(1)
    // Not banned again, as soon as the node knows.
    await eventually(async () => (await listPets(banned.secret)).body.code !== 'key_banned')
  })

  test('lifting a ban while the counters do not respond harms no node', async () => {
    const { id, secret } = await newKey('free')
    const log = logFromNow()
    while ((await listPets(secret)).body.code !== 'key_banned');
    await withoutCounters(async () => {
      await admin('DELETE', `/keys/${id}/ban`)
      // The node is notified and deletes the strikes; that statement fails now.
      for (let cut = 0; cut === 0; ) {
        const rows = await sql.unsafe(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE 'DELETE FROM rate_counters WHERE subject%' AND state = 'active' AND pid <> pg_backend_pid()`,
        )
        cut = rows.length
      }
    })
    await takenUpAgain()
    expect(cluster.nodes[0]?.hasEnded()).toBe(false)
    expect(log.text()).not.toContain('"level":"error"')
    expect((await admin('GET', '/pets?limit=1')).status).toBe(200)
  })

  test('a ban that cannot be stored still rejects the caller', async () => {
    const { secret } = await newKey('free')
    await sql.unsafe('ALTER TABLE bans ADD CONSTRAINT no_bans CHECK (false) NOT VALID')
    clock.startMinute()
    const responses = []
    for (let index = 0; index < 61; index++) responses.push(await listPets(secret))
    clock.leap(burstMs)
    for (let index = 0; index < 39; index++) responses.push(await listPets(secret))
    expect(responses.slice(60).map((response) => response.body.code)).toEqual(Array(40).fill('rate_limited'))
    await sql.unsafe('ALTER TABLE bans DROP CONSTRAINT no_bans')
    expect((await listPets(secret)).body.code).toBe('key_banned')
  })

  test('a node keeps working while the schema is migrated; a program that is too old does not start', async () => {
    await sql.unsafe("INSERT INTO schema_versions SELECT max(version) + 1, 'later', 0 FROM schema_versions")
    await sql.unsafe("UPDATE schema_versions SET oldest_program = version WHERE name = 'later'")
    expect((await admin('POST', '/categories', { name: 'Fish' })).status).toBe(201)
    expect(await readiness()).toEqual(limits('shared'))
    expect(String(await failureOf(cluster.start()))).toContain('Start a newer version of the program.')
    await sql.unsafe("DELETE FROM schema_versions WHERE name = 'later'")
  })
})
