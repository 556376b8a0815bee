import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { startService } from '../../server/test/harness/service.ts'
import { type ClientName, clientNames, connectAgent } from '../../server/test/surfaces/mcp/connect-agent.ts'
import { assistantNames } from '../src/mcp-configuration.ts'
import { petstore, program } from './harness/petstore.ts'

// The official clients start the program, as a desktop assistant does.

const service = await startService()
afterAll(() => service.stop())

function connect(name: ClientName, env: Record<string, string>, options: readonly string[] = []) {
  const [command = '', ...args] = [...program, 'mcp', ...options]
  return connectAgent({ command, args, env: { PATH: process.env.PATH ?? '', ...env } }, name)
}

test.each(clientNames)('a shop over standard input and output, with the client %s', async (name) => {
  const { secret = '' } = await service.newClient({ preset: 'admin' })
  await using agent = await connect(name, { PETSTORE_URL: service.url, PETSTORE_API_KEY: secret })
  const { body: category } = await agent.call('create_category', { name: 'Żółwie' })
  const { body: pets } = await agent.call('create_pets', { items: [{ name: 'Rex', categoryId: category.id }] })
  const petId = pets.items[0].id
  const { body: order } = await agent.call('place_order', { petId })
  const rejected = await agent.call('place_order', { petId })
  expect(rejected).toMatchObject({ isError: true, body: { code: 'pet_not_available' } })
  expect((await agent.call('cancel_order', { orderId: order.id })).isError).toBe(false)
  // Sent at the same time, as assistants do.
  const profiles = await Promise.all([1, 2, 3].map(() => agent.call('get_pet', { petId })))
  expect(profiles.map(({ body }) => body.category.name)).toEqual(['Żółwie', 'Żółwie', 'Żółwie'])
  expect((await agent.client.listPrompts()).prompts.length).toBe(4)
  const { contents } = await agent.client.readResource({ uri: `petstore://pets/${petId}/profile` })
  expect(contents.length).toBe(1)
})

test('the stored login is used, and only for its service', async () => {
  using home = newDirectory()
  const { secret = '' } = await service.newClient({ preset: 'reader' })
  const env = { HOME: home.path, XDG_CONFIG_HOME: join(home.path, 'config') }
  const login = await petstore(['login', '--url', service.url], { env, input: `${secret}\n` })
  expect(login).toMatchObject({ code: 0 })
  await using agent = await connect('2.x by revision 2026-07-28', env)
  expect((await agent.call('list_pets')).isError).toBe(false)
  const elsewhere = await petstore(['mcp', '--url', 'http://127.0.0.1:1'], { env })
  expect(elsewhere.errors).toContain('not for http://127.0.0.1:1')
})

test('--tools offers only a part of the tools', async () => {
  const env = { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.adminSecret }
  await using agent = await connect('1.x', env, ['--tools', 'categories'])
  const { tools } = await agent.client.listTools()
  expect(tools.map(({ name }) => name).every((name) => name.includes('categor'))).toBe(true)
  const args = ['mcp', '--install', 'codex', '--url', 'http://shop.test', '--tools', 'orders,stock']
  expect((await petstore(args, {})).output).toContain('["mcp","--url","http://shop.test","--tools","orders,stock"]')
})

const send = (message: unknown, env: Record<string, string>) => {
  const input = `${typeof message === 'string' ? message : JSON.stringify(message)}\n`
  return petstore(['mcp'], { env, input })
}

test('a wrong key, a service that is down and a malformed message are errors of the protocol', async () => {
  const list = { jsonrpc: '2.0', id: 5, method: 'tools/list' }
  const wrong = await send(list, { PETSTORE_URL: service.url, PETSTORE_API_KEY: 'ps_wrong' })
  expect(JSON.parse(wrong.output)).toMatchObject({ id: 5, error: { data: { code: 'invalid_api_key' } } })
  const down = await send(list, { PETSTORE_URL: 'http://127.0.0.1:1', PETSTORE_API_KEY: 'ps_wrong' })
  expect(JSON.parse(down.output)).toMatchObject({ id: 5, error: { code: -32_000 } })
  const malformed = await send('{', { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.adminSecret })
  expect(JSON.parse(malformed.output)).toMatchObject({ error: { code: -32_700 } })
  const missing = await send(list, { PETSTORE_URL: service.url })
  expect(missing).toMatchObject({ code: 3, output: '' })
})

test('the last message needs no newline', async () => {
  const env = { PETSTORE_URL: service.url, PETSTORE_API_KEY: service.adminSecret }
  const [first, last] = [5, 6].map((id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }))
  const { output } = await petstore(['mcp'], { env, input: `${first}\n${last}` })
  const ids = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  expect(ids.sort()).toEqual([5, 6])
})

test('a notification gets no response, even if it is rejected', async () => {
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  for (const key of [service.adminSecret, 'ps_wrong']) {
    const { code, output } = await send(notification, { PETSTORE_URL: service.url, PETSTORE_API_KEY: key })
    expect({ code, output }).toEqual({ code: 0, output: '' })
  }
})

test('a redirect is not followed, and the error says where it leads', async () => {
  const keys: (string | null)[] = []
  await using other = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ headers }) => {
      keys.push(headers.get('X-API-Key'))
      return new Response()
    },
  })
  await using moved = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.redirect(`${other.url}mcp`, 307),
  })
  const env = { PETSTORE_URL: moved.url.origin, PETSTORE_API_KEY: 'ps_secret' }
  const { output } = await send({ jsonrpc: '2.0', id: 5, method: 'tools/list' }, env)
  expect(JSON.parse(output)).toMatchObject({
    id: 5,
    error: { code: -32_000, message: expect.stringContaining(`redirects to ${other.url}mcp`) },
  })
  expect(keys).toEqual([])
})

test.each(assistantNames)('--install prints the configuration for %s, without the key', async (name) => {
  const env = { PETSTORE_API_KEY: 'ps_secret' }
  const { code, output, errors } = await petstore(['mcp', '--install', name, '--url', 'http://shop.test'], { env })
  expect(code).toBe(0)
  expect(errors).toMatch(/^(Add this to|Run this)/)
  expect(output).toContain('petstore')
  expect(output).toContain('http://shop.test')
  expect(output).not.toContain('ps_secret')
  if (output.startsWith('{')) expect(() => JSON.parse(output)).not.toThrow()
})
