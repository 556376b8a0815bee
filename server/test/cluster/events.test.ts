import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { call, type Nodes, startNodes } from '../harness/nodes.ts'
import { openStream } from '../platform/feed/reader.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')('events on several nodes', () => {
  let cluster: Nodes
  beforeAll(async () => {
    cluster = await startNodes(2)
  })
  afterAll(() => cluster.stop())

  test('a stream of one node has the events of another, and continues there when its node stops', async () => {
    const { adminSecret, nodes } = cluster
    const [here, there] = nodes.map(({ url }) => url) as [string, string]
    const make = async (at: string, name: string) =>
      expect((await call(at, adminSecret, 'POST', '/categories', { name })).status).toBe(201)
    const stream = await openStream(`${here}/events/stream?type=category.created`, adminSecret)
    await stream.until(() => stream.lastId() !== undefined)
    await make(there, 'by the other')
    await make(here, 'by itself')
    await stream.until(() => stream.events.length === 2)
    await nodes[0]?.kill('SIGTERM')
    expect(await stream.end()).toBe('ended')

    await make(there, 'meanwhile')
    const headers = { 'Last-Event-ID': stream.lastId() as string }
    const resumed = await openStream(`${there}/events/stream?type=category.created`, adminSecret, headers)
    await resumed.until(() => resumed.events.length === 1)
    expect([...stream.events, ...resumed.events].map(({ data }) => data.name)).toEqual([
      'by the other',
      'by itself',
      'meanwhile',
    ])
    resumed.close()
  })
})
