import { afterAll, expect, test } from 'bun:test'
import { flood, tally } from '../../harness/flood.ts'
import { startService } from '../../harness/service.ts'
import { type Agent, newAgent } from './connect-agent.ts'

const service = await startService()
afterAll(() => service.stop())

const remaining = async (agent: Agent): Promise<number> => {
  const { body } = await agent.call('get_limits')
  return body.windows.find(({ name }: { name: string }) => name === 'minute').remaining
}

test('a tool call counts as the request it is; lists, guides and the handshake cost no quota', async () => {
  await using agent = await newAgent(service, { plan: 'free', preset: 'admin' })
  expect(await remaining(agent)).toBe(60)
  await agent.client.listResources()
  await agent.client.listPrompts()
  expect(await remaining(agent)).toBe(60)
  const { body: category } = await agent.call('create_category', { name: 'Dogs' })
  expect(await remaining(agent)).toBe(59)
  const items = Array.from({ length: 10 }, () => ({ name: 'Rex', categoryId: category.id }))
  await agent.call('create_pets', { items })
  expect(await remaining(agent)).toBe(49)
  await agent.client.readResource({ uri: `petstore://categories/${category.id}` })
  expect(await remaining(agent)).toBe(48)
  await agent.call('get_category', { categoryId: 'none' })
  expect(await remaining(agent)).toBe(47)
})

test('a used-up minute is a tool error that says how long to wait, and waiting that long is enough', async () => {
  await using agent = await newAgent(service, { plan: 'free' })
  expect(tally(await flood(service.as(agent.secret), 60))).toEqual({ 200: 60 })
  const { isError, body } = await agent.call('list_categories')
  expect(isError).toBe(true)
  expect(body).toMatchObject({ code: 'rate_limited', status: 429 })
  expect(body.advice).toContain(`Retry in ${body.retryAfterSeconds} s`)
  service.clock.advance(body.retryAfterSeconds * 1000)
  expect((await agent.call('list_categories')).isError).toBe(false)
})

test('while a key is banned, tools say until when, and get_limits and the handshake still work', async () => {
  const agent = await newAgent(service, { plan: 'free' })
  const plain = service.as(agent.secret)
  await flood(plain, 90)
  let outcome = await agent.call('list_categories')
  for (let more = 0; more < 60 && outcome.body.code !== 'key_banned'; more++) {
    service.clock.advance(100)
    outcome = await agent.call('list_categories')
  }
  const { retryAfterSeconds } = outcome.body
  expect(outcome.body).toMatchObject({ code: 'key_banned', status: 429 })
  expect(retryAfterSeconds).toBeGreaterThan(60)
  expect(outcome.body.advice).toContain('`get_limits`')
  expect((await agent.call('get_limits')).body.ban).toMatchObject({ level: 1 })
  expect((await agent.client.listTools()).tools.length).toBeGreaterThan(0)
  service.clock.advance(retryAfterSeconds * 1000)
  expect((await agent.call('list_categories')).isError).toBe(false)
  await agent[Symbol.asyncDispose]()
})

test('messages that are no calls have the meter of GET /limits', async () => {
  const { secret = '' } = await service.newClient({})
  const list = () =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${secret}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
  const statuses: number[] = []
  for (let sent = 0; sent < 61; sent++) statuses.push((await list()).status)
  expect(statuses.slice(0, 60)).toEqual(statuses.slice(0, 60).map(() => 200))
  expect(statuses[60]).toBe(429)
  const refused = await list()
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refused.json()).toMatchObject({ id: 1, error: { data: { code: 'rate_limited' } } })
})
