import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { freePort } from '../../../scripts/free-port.ts'
import { call, metricOf, type Nodes, startNodes, startOfMinute } from '../harness/nodes.ts'

const rounds = process.env.TORTURE ? 10 : 3
const stallMs = 700

describe.if(process.env.TEST_ENGINE === 'postgres')('nodes that are not scheduled for a while', () => {
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

  test('a limit of 60 admits 60 while nodes stand still under load', async () => {
    const urls = cluster.nodes.map((node) => node.url)
    for (let round = 0; round < rounds; round++) {
      const key = { name: 'Test', preset: 'client', plan: 'free' }
      const { secret } = (await call(urls[0] ?? '', cluster.adminSecret, 'POST', '/keys', key)).body
      await startOfMinute()
      let admitted = 0
      const answers = Array.from({ length: 600 }, async (_, index) => {
        const { status } = await call(urls[index % urls.length] ?? '', secret, 'GET', '/pets?limit=1')
        if (status === 200) admitted++
        return status
      })
      await Promise.race(answers)
      const stalled = cluster.nodes.filter((_, index) => index % 2 === round % 2)
      for (const { pid } of stalled) process.kill(pid, 'SIGSTOP')
      await Bun.sleep(stallMs)
      for (const { pid } of stalled) process.kill(pid, 'SIGCONT')
      const statuses = await Promise.all(answers)
      expect({ admitted, refused: statuses.filter((status) => status === 429).length }).toEqual({
        admitted: 60,
        refused: 540,
      })
    }
    for (const port of metricsPorts) expect(await metricOf(port, 'petstore_limiter_fallbacks_total')).toBe(0)
  })
})
