import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { byMinute } from '../harness/flood.ts'
import { call, metricOf, type Nodes, startNodes } from '../harness/nodes.ts'
import { patiently } from '../harness/patiently.ts'

const rounds = process.env.TORTURE ? 10 : 3
const stallMs = 700

describe.if(process.env.TEST_ENGINE === 'postgres')('nodes that are suspended for a while', () => {
  let cluster: Nodes
  beforeAll(async () => {
    cluster = await startNodes(4, { METRICS_PORT: '0' })
  })
  afterAll(() => cluster.stop())

  test('a limit of 60 admits 60 while nodes are suspended under load', async () => {
    const urls = cluster.nodes.map((node) => node.url)
    for (let round = 0; round < rounds; round++) {
      const key = { name: 'Test', preset: 'client', plan: 'free' }
      const { secret } = (await call(urls[0] ?? '', cluster.adminSecret, 'POST', '/keys', key)).body
      // A request that was counted may still be rejected by a busy node: then it counts although it is sent again.
      const all: Awaited<ReturnType<typeof call>>[] = []
      const responses = Array.from({ length: 600 }, (_, index) =>
        patiently(async () => {
          const response = await call(urls[index % urls.length] ?? '', secret, 'GET', '/pets?limit=1')
          if (response.headers.has('x-ratelimit-reset')) all.push(response)
          return response
        }),
      )
      await Promise.race(responses)
      const stalled = cluster.nodes.filter((_, index) => index % 2 === round % 2)
      for (const { pid } of stalled) process.kill(pid, 'SIGSTOP')
      await Bun.sleep(stallMs)
      for (const { pid } of stalled) process.kill(pid, 'SIGCONT')
      const responded = await Promise.all(responses)
      expect(responded.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
      // They may fall into two minutes, and a client that goes on after a second is banned.
      for (const minute of byMinute(all)) {
        const admitted = minute.filter(({ status }) => status !== 429).length
        expect({ admitted, of: minute.length }).toEqual({ admitted: Math.min(60, minute.length), of: minute.length })
      }
    }
    for (const node of cluster.nodes) expect(await metricOf(node, 'petstore_limiter_fallbacks_total')).toBe(0)
  })
})
