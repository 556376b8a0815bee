import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { burstMs } from '../harness/flood.ts'
import { leapingClock } from '../harness/leaping-clock.ts'
import { call, metricOf, type Nodes, startNodes } from '../harness/nodes.ts'
import type { RunningService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'
import { type Cable, startCable } from './cable.ts'

const counters = 'petstore-limits'

const onPostgres = process.env.TEST_ENGINE === 'postgres'

test.if(onPostgres)('if connections are scarce, the counters get theirs first and keep them', async () => {
  const database = await createTestDatabase()
  const cable = await startCable(database.url, 8)
  const cluster = await startNodes(1, { METRICS_PORT: '0' }, cable.url)
  const sql = new SQL(database.url, { max: 1 })
  try {
    const [node] = cluster.nodes as [RunningService]
    const request = () => call(node.url, cluster.adminSecret, 'GET', '/pets?limit=1')
    await Promise.all(Array.from({ length: 100 }, request))
    const [open] = await sql.unsafe(
      'SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [counters],
    )
    expect(open.count).toBe(2)
    expect(await metricOf(node, 'petstore_limiter_fallbacks_total')).toBe(0)
  } finally {
    await sql.close()
    await cluster.stop()
    cable.stop()
    await database.remove()
  }
})

describe.if(onPostgres)('when the shared counters are unreachable', () => {
  const directory = newDirectory()
  const clock = leapingClock(join(directory.path, 'leap'))
  let database: TestDatabase
  let cable: Cable
  let cluster: Nodes
  let sql: SQL
  beforeAll(async () => {
    database = await createTestDatabase()
    cable = await startCable(database.url)
    cluster = await startNodes(2, { METRICS_PORT: '0', LEAP_FILE: clock.file }, cable.url)
    sql = new SQL(database.url, { max: 1 })
  })
  afterAll(async () => {
    await sql.close()
    await cluster.stop()
    cable.stop()
    await database.remove()
    directory.remove()
  })

  const metric = (name: string) => Promise.all(cluster.nodes.map((node) => metricOf(node, `petstore_limiter_${name}`)))
  const newKey = async () => {
    const key = { name: 'Test', preset: 'client', plan: 'free' }
    return (await call(cluster.nodes[0]?.url ?? '', cluster.adminSecret, 'POST', '/keys', key)).body
  }
  /** Calls every node this often, one after the other. Returns how many calls were served. */
  async function served(secret: string, times: number): Promise<number> {
    const statuses = await Promise.all(
      cluster.nodes.map(async ({ url }) => {
        const seen = []
        for (let time = 0; time < times; time++) seen.push((await call(url, secret, 'GET', '/pets?limit=1')).status)
        return seen
      }),
    )
    expect(statuses.flat().every((status) => status === 200 || status === 429)).toBe(true)
    return statuses.flat().filter((status) => status === 200).length
  }
  /** What the shared counters say; of the times of first rejections only how many there are. */
  async function counted(keyId: number): Promise<Record<string, number>> {
    const rows = await sql.unsafe(
      `SELECT period, CASE WHEN period LIKE '%_rejected' THEN count(*) ELSE sum(used) END::int AS used
       FROM rate_counters WHERE subject = $1 GROUP BY period`,
      [`key:${keyId}`],
    )
    return Object.fromEntries(rows.map(({ period, used }: { period: string; used: number }) => [period, used]))
  }
  const back = async () => {
    await eventually(async () => (await metric('degraded')).every((alone) => alone === 0))
  }

  test.each([
    ['held', () => cable.hold(counters), () => cable.release()],
    ['cut', () => cable.cut(counters), () => cable.mend()],
  ] as const)(
    '%s: every node serves alone, and what it admitted is added when they are back',
    async (_, close, open) => {
      const { id, secret } = await newKey()
      clock.startMinute()
      expect(await served(secret, 5)).toBe(10)
      const [fallbacks, admittedAlone] = [await metric('fallbacks_total'), await metric('admitted_alone_total')]

      close()
      // Each node continues from the last state it saw: at least its own five, at most all ten.
      const alone = await served(secret, 60)
      expect(alone).toBeGreaterThanOrEqual(2 * 50)
      expect(alone).toBeLessThanOrEqual(2 * 55)
      expect(await metric('degraded')).toEqual([1, 1])
      expect(await metric('fallbacks_total')).toEqual(fallbacks.map((times) => times + 1))
      const more = (await metric('admitted_alone_total')).map((now, node) => now - (admittedAlone[node] ?? 0))
      expect(more.reduce((sum, count) => sum + count)).toBe(alone)
      expect(await counted(id)).toMatchObject({ minute: 10, day: 10 })

      open()
      await back()
      const { minute = 0, ...others } = await counted(id)
      // The call of each node that waited for the counters is counted twice if they respond very late.
      expect(minute).toBeWithin(10 + alone, 10 + alone + cluster.nodes.length + 1)
      expect(others).toMatchObject({ day: minute, minute_rejected: 1 })
      expect(await served(secret, 1)).toBe(0)
    },
  )

  test('a ban by an isolated node resets its strikes, including those not yet added to the shared counters', async () => {
    const { id, secret } = await newKey()
    clock.startMinute()
    cable.hold(counters)
    const responses = async (count: number) => {
      const times: Record<string, number> = {}
      for (let time = 0; time < count; time++) {
        const { status, body } = await call(cluster.nodes[0]?.url ?? '', secret, 'GET', '/pets?limit=1')
        const code = status === 200 ? 'served' : body.code
        times[code] = (times[code] ?? 0) + 1
      }
      return times
    }
    expect(await responses(61)).toEqual({ served: 60, rate_limited: 1 })
    // Rejections of the next second are no strikes.
    clock.leap(burstMs)
    expect(await responses(40)).toEqual({ rate_limited: 30, key_banned: 10 })
    cable.release()
    await back()
    const { minute = 0, ...others } = await counted(id)
    // The call that waited for the counters is counted twice if they respond very late.
    expect(minute).toBeWithin(60, 62)
    expect(others).toEqual({ day: minute, minute_rejected: 1, minute_graced: 1 })
  })

  test('cut connections are replaced, and no node falls back to local limits', async () => {
    const cutRepeatedly = async () => {
      const { id, secret } = await newKey()
      clock.startMinute()
      const before = await metric('fallbacks_total')
      let admitted = 0
      for (let round = 0; round < 10; round++) {
        admitted += await served(secret, 4)
        cable.cut(counters)
        cable.mend()
      }
      const fallbacks = (await metric('fallbacks_total')).map((now, node) => now - (before[node] ?? 0))
      await back()
      return { admitted, fallbacks, ...(await counted(id)) }
    }
    // A busy machine may take a second for a new connection, after which a node rightly falls back, but not every time.
    let seen = await cutRepeatedly()
    for (let tries = 1; tries < 5 && seen.fallbacks.some((times) => times > 0); tries++) seen = await cutRepeatedly()
    expect(seen).toMatchObject({ admitted: 60, fallbacks: [0, 0], minute: 60, day: 60 })
  })
})
