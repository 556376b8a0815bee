import { afterAll, expect, test } from 'bun:test'
import { limitConcurrency } from '../../../src/platform/lib/concurrency.ts'
import { flood, tally } from '../../harness/flood.ts'
import { patiently } from '../../harness/patiently.ts'
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

const send = (secret: string, body: string) =>
  fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${secret}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body,
  })

/** Sends malformed messages, which count like all that call no tool, and counts the statuses. */
async function sendMany(secret: string, count: number) {
  // A busy service rejects most of more at once.
  const atOnce = limitConcurrency(32)
  const responses = await Promise.all(
    Array.from({ length: count }, () => atOnce(() => patiently(() => send(secret, 'x')))),
  )
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('protocol messages have a separate limit of 600 a minute, which the rejection names; tools are not affected', async () => {
  await using agent = await newAgent(service, { plan: 'free' }, '1.x')
  service.clock.advance(60_000)
  for (let sent = 0; sent < 100; sent += 4) {
    await agent.client.ping()
    await agent.client.listResources()
    await agent.client.listResourceTemplates()
    await agent.client.listPrompts()
  }
  expect(await sendMany(agent.secret, 505)).toEqual({ 400: 500, 429: 5 })
  const rejected = await send(agent.secret, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  expect(rejected.status).toBe(429)
  const { id, error } = (await rejected.json()) as { id: number; error: { data: Record<string, unknown> } }
  expect({ id, code: error.data.code }).toEqual({ id: 1, code: 'rate_limited' })
  expect(error.data.message).toContain('All 600 requests for lists, guides and other protocol messages')
  expect(Number(rejected.headers.get('retry-after'))).toBe(error.data.retryAfterSeconds as number)
  expect(await remaining(agent)).toBe(60)
  expect((await agent.call('list_categories')).isError).toBe(false)
})

test('a key with more than 600 requests a minute may send as many protocol messages', async () => {
  const limits = { perMinute: 620, perDay: 100_000 }
  const { secret = '' } = await service.newClient({ plan: 'enterprise', limits })
  expect(await sendMany(secret, 625)).toEqual({ 400: 620, 429: 5 })
})
