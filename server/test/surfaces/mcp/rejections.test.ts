import { afterAll, expect, test } from 'bun:test'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { startService } from '../../harness/service.ts'

// Requests that are not the protocol, or not allowed, each rejected with its status and an error of the protocol.

const service = await startService()
afterAll(() => service.stop())

const call = (name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: given },
})

async function send(body: unknown, headers: Record<string, string> = {}, method = 'POST', query = '') {
  const response = await fetch(`${service.url}/mcp${query}`, {
    method,
    headers: {
      'X-API-Key': service.adminSecret,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, error: json?.error }
}

test('a page of another website is rejected; those of the service and of this computer are not', async () => {
  const extensions = [
    'chrome-extension://localhost',
    'moz-extension://127.0.0.1',
    'app://localhost',
    'file://localhost',
  ]
  for (const origin of ['https://evil.example', 'null', 'http://petstore.test.evil.example', ...extensions]) {
    const rejected = await send(call('list_categories'), { Origin: origin })
    expect(rejected).toMatchObject({ status: 403, error: { data: { code: 'origin_not_allowed' } } })
  }
  for (const origin of ['http://petstore.test', 'http://localhost:6274', 'http://127.0.0.1:3000']) {
    expect((await send(call('list_categories'), { Origin: origin })).status).toBe(200)
  }
})

test.each([call('list_categories'), { jsonrpc: '2.0', id: 7, method: 'tools/list' }])(
  'a wrong key is 401 with WWW-Authenticate, and counts against the address: %j',
  async (message) => {
    const wrong = await send(message, { 'X-API-Key': newSecret() })
    expect(wrong).toMatchObject({ status: 401, error: { code: -32_000, data: { code: 'invalid_api_key' } } })
    expect(wrong.headers.get('www-authenticate')).toContain('Bearer')
    const next = await send(message, { 'X-API-Key': newSecret() })
    expect(Number(next.headers.get('x-ratelimit-remaining'))).toBe(
      Number(wrong.headers.get('x-ratelimit-remaining')) - 1,
    )
  },
)

test('malformed messages', async () => {
  expect(await send('{"jsonrpc":')).toMatchObject({ status: 400, error: { code: -32_700 } })
  expect(await send('')).toMatchObject({ status: 400, error: { code: -32_700 } })
  expect(await send('7')).toMatchObject({ status: 400, error: { code: -32_600 } })
  expect((await send({})).status).toBe(400)
  expect((await send({ id: 7 })).status).toBe(400)
  expect((await send({ jsonrpc: '1.0', id: 7, method: 'tools/list' })).status).toBe(400)
  expect((await send(call('list_categories'), { 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400)
  expect(await send('{}', { 'Content-Type': 'text/plain' })).toMatchObject({ status: 415 })
})

test('odd messages are rejected, and none makes the service fail', async () => {
  const noText = { toString: 'x', valueOf: 1 }
  const odd = [null, 7, 'text', [], {}, [[]], { __proto__: {} }, noText, 9_007_199_254_740_993n, '__proto__', true]
  const write = (value: unknown) =>
    JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? JSON.rawJSON(String(inner)) : inner))
  for (const value of odd) {
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: value },
      { jsonrpc: '2.0', id: 1, method: value, params: {} },
      { jsonrpc: '2.0', id: value, method: 'tools/call', params: { name: 'list_pets' } },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: value } },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'update_order', arguments: value } },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'update_order', arguments: { orderId: value } } },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_pets', arguments: { items: value } } },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_pets', arguments: { q: value } } },
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: value } },
      { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'explain_ban', arguments: value } },
    ]) {
      const { status, text } = await send(write(message))
      expect([write(message), status < 500, text.includes('internal_error')]).toEqual([write(message), true, false])
    }
  }
})

test('an error of ours has the id of its message, unless that cannot be repeated exactly', async () => {
  const idFor = async (id: string) => {
    const { status, text } = await send(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`, {}, 'POST', '?tools=nope')
    return [status, JSON.parse(text).id]
  }
  expect(await idFor('7')).toEqual([400, 7])
  expect(await idFor('"a"')).toEqual([400, 'a'])
  for (const id of ['9007199254740993', '[]', '{}', 'null', 'true']) expect(await idFor(id)).toEqual([400, null])
})

test('a batch is rejected as a whole, and none of it is done', async () => {
  const before = (await service.admin.get('/categories?limit=100')).body.length
  const batch = [call('create_category', { name: 'One' }), call('create_category', { name: 'Two' })]
  expect(await send(batch)).toMatchObject({ status: 400, error: { code: -32_600 } })
  expect((await service.admin.get('/categories?limit=100')).body.length).toBe(before)
})

test('a message is as large as any body may be, and not larger', async () => {
  const large = await send(call('create_category', { name: 'x'.repeat(300_000) }))
  expect(large).toMatchObject({ status: 413, error: { data: { code: 'body_too_large' } } })
})

test('unknown tools, methods, resources and subscriptions are errors of the protocol', async () => {
  const errorOf = async (message: object) => (await send(message)).text
  expect(await errorOf(call('drop_tables'))).toContain('There is no tool drop_tables.')
  expect(await errorOf({ jsonrpc: '2.0', id: 1, method: 'shop/close' })).toContain('-32601')
  const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'file:///etc/passwd' } }
  expect(await errorOf(read)).toContain('Resource not found')
  expect(await errorOf({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'other' } })).toContain('-32602')
})

test('there is no stream to open and no session to end', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const rejected = await send('', {}, method)
    expect(rejected).toMatchObject({ status: 405, error: { data: { code: 'method_not_allowed' } } })
    expect(rejected.headers.get('allow')).toBe('POST, OPTIONS')
  }
  const preflight = await fetch(`${service.url}/mcp`, { method: 'OPTIONS' })
  expect(preflight.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version')
})

test('a number that cannot be kept exact is rejected, never rounded', async () => {
  const given = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"update_order","arguments":'
  const { text } = await send(`${given}{"orderId":1,"shipDate":9007199254740993}}}`)
  expect(text).toContain('validation_failed')
  expect(text).toContain('/shipDate')
})
