import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { call, metricOf, type Nodes, startNodes, startOfMinute } from '../harness/nodes.ts'
import { patiently } from '../harness/patiently.ts'
import { freePort } from '../harness/run/free-port.ts'

const rounds = process.env.TORTURE ? 10 : 3
const stallMs = 700

describe.if(process.env.TEST_ENGINE === 'postgres')('nodes that are suspended for a while', () => {
  let cluster: Nodes
  const metricsPorts: number[] = []
  beforeAll(async () => {
    cluster = await startNodes(0)
    for (let node = 0; node < 4; node++) {
      metricsPorts.push(await freePort())
      await cluster.start({ METRICS_PORT: String(metricsPorts[node]) })
    }
  })
  afterAll(() => cluster.stop())

  test('a limit of 60 admits 60 while nodes are suspended under load', async () => {
    const urls = cluster.nodes.map((node) => node.url)
    for (let round = 0; round < rounds; round++) {
      const key = { name: 'Test', preset: 'client', plan: 'free' }
      const { secret } = (await call(urls[0] ?? '', cluster.adminSecret, 'POST', '/keys', key)).body
      await startOfMinute()
      const answers = Array.from({ length: 600 }, (_, index) =>
        patiently(() => call(urls[index % urls.length] ?? '', secret, 'GET', '/pets?limit=1')),
      )
      await Promise.race(answers)
      const stalled = cluster.nodes.filter((_, index) => index % 2 === round % 2)
      for (const { pid } of stalled) process.kill(pid, 'SIGSTOP')
      await Bun.sleep(stallMs)
      for (const { pid } of stalled) process.kill(pid, 'SIGCONT')
      const answered = await Promise.all(answers)
      expect(answered.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
      // A busy machine may need more than a minute for so many; a client that goes on after a second is banned, and counts in no window.
      const inWindows = answered.filter(({ body }) => body.code !== 'key_banned')
      const windows = Map.groupBy(inWindows, ({ headers }) => headers.get('X-RateLimit-Reset'))
        .values()
        .toArray()
      for (const window of windows) {
        const admitted = window.filter(({ status }) => status === 200).length
        expect({ admitted, of: window.length }).toEqual({ admitted: Math.min(60, window.length), of: window.length })
      }
    }
    for (const port of metricsPorts) expect(await metricOf(port, 'petstore_limiter_fallbacks_total')).toBe(0)
  })
})
