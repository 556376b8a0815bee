import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { attemptTimeoutMs } from '../../src/platform/webhooks/send.ts'
import { eventually } from '../harness/eventually.ts'
import { byMinute } from '../harness/flood.ts'
import { call, startNodes } from '../harness/nodes.ts'
import { patiently } from '../harness/patiently.ts'
import { startPostgresPair } from '../harness/postgres-pair.ts'
import { fakedClock } from '../harness/run/faketime.ts'
import { newDirectory } from '../harness/scratch.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

// A standby with a wrong clock takes over: nothing expires early, and nothing is done twice.

const isPossible = process.env.TEST_ENGINE === 'postgres' && fakedClock('') !== undefined
const minuteMs = 60_000

describe.if(isPossible)('a failover to a server with another clock', () => {
  const cleaning: (() => unknown)[] = []
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean()
  })

  /** Two nodes on a primary, and a function that promotes the standby, whose clock is wrong. */
  async function startCluster(clock: string) {
    const directory = newDirectory()
    const clockFile = join(directory.path, 'clock')
    writeFileSync(clockFile, clock)
    // PostgreSQL runs as another user.
    chmodSync(directory.path, 0o755)
    const { primary, standby, url } = await startPostgresPair(fakedClock(clockFile))
    cleaning.push(
      () => directory[Symbol.dispose](),
      // It was stopped, but cleanup expects it to run.
      () => primary.start().then(primary.remove),
      () => standby.remove(),
    )
    const cluster = await startNodes(2, { WEBHOOK_ALLOW_PRIVATE: 'true' }, url)
    cleaning.push(() => cluster.stop())
    const send = (node: number, secret: string, method: string, path: string, body?: unknown, headers = {}) =>
      patiently(() => call(cluster.nodes[node]?.url ?? '', secret, method, path, body, headers))
    const admin = (node: number, method: string, path: string, body?: unknown, headers = {}) =>
      send(node, cluster.adminSecret, method, path, body, headers)

    async function failOver(): Promise<void> {
      await using follower = new SQL(standby.url, { max: 1 })
      await primary.stop('SIGINT')
      await follower.unsafe('SELECT pg_promote()')
      // A write on each node, so that both have found the new server.
      for (const node of [0, 1]) await admin(node, 'POST', '/categories', { name: 'After' })
      const offMs = Number.parseInt(clock, 10) * 1000
      const [{ at }] = await follower.unsafe('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at')
      expect(Math.abs(at - Date.now() - offMs)).toBeLessThan(30_000)
    }
    return { cluster, send, admin, failOver }
  }

  test.each(['+300s', '-300s'])(
    '%s: keys, responses and leases live on, and time neither jumps nor goes back',
    async (clock) => {
      const { cluster, send, admin, failOver } = await startCluster(clock)
      const releases: (() => void)[] = []
      await using receiver = await startReceiver((_, response) => {
        releases.push(() => response.writeHead(204).end())
      })
      const key = { name: 'Test', preset: 'client', plan: 'free', expiresAt: new Date(Date.now() + 3 * minuteMs) }
      const { secret } = (await admin(0, 'POST', '/keys', key)).body
      const headers = { 'Idempotency-Key': 'one' }
      const first = await admin(0, 'POST', '/categories', { name: 'Once' }, headers)
      await admin(0, 'POST', '/webhooks', { url: receiver.url, events: ['category.updated'] })
      await admin(0, 'PATCH', `/categories/${first.body.id}`, { name: 'Sent once' })
      await eventually(() => receiver.received.length === 1)
      const attemptedAt = performance.now()

      await failOver()
      for (const node of [0, 1]) {
        expect((await send(node, secret, 'GET', '/pets?limit=1')).status).toBe(200)
        expect((await admin(node, 'POST', '/categories', { name: 'Once' }, headers)).body).toEqual(first.body)
      }
      const third = await cluster.start()
      expect((await call(third.url, secret, 'GET', '/pets?limit=1')).status).toBe(200)

      // An attempt that times out is rightly repeated, as a very slow machine may have it.
      const timeouts = Math.floor((performance.now() - attemptedAt) / attemptTimeoutMs)
      for (const response of releases) response()
      // By the time a new event has arrived, a repeated one would have too.
      receiver.response = 204
      await admin(0, 'PATCH', `/categories/${first.body.id}`, { name: 'Sent last' })
      await eventually(() => receiver.received.some(({ event }) => event.data.name === 'Sent last'))
      expect(receiver.received.length).toBeLessThanOrEqual(2 + timeouts)

      // All three are in the same minute as before.
      const useUp = async () => {
        const { secret: limited } = (await admin(0, 'POST', '/keys', { ...key, expiresAt: undefined })).body
        const calls = Array.from({ length: 120 }, (_, index) => send(index % 3, limited, 'GET', '/pets?limit=1'))
        return Promise.all(calls)
      }
      const once = await useUp()
      // A minute may have ended meanwhile, but not a second one right after it.
      const responses = byMinute(once).length === 1 ? once : await useUp()
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(60)
      const events = (await admin(2, 'GET', '/events?limit=100')).body as { time: string }[]
      const times = events.map(({ time }) => Date.parse(time))
      expect(times.every((time) => Math.abs(time - Date.now()) < 2 * minuteMs)).toBe(true)

      expect(cluster.nodes[0]?.errors()).toContain('another database server has taken over')
    },
  )
})
