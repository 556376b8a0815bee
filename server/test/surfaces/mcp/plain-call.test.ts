import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

// An ordinary call of a tool gets a response without the package. Anything unusual about it, here one more key in `_meta`, makes the
// package respond. Clients must not be able to tell the difference.

const service = await startService()
afterAll(() => service.stop())
const petId = await service.admin.newPet()

async function send(message: object, headers: Record<string, string>) {
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      'X-API-Key': service.adminSecret,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'X-Request-Id': 'same',
      ...headers,
    },
    body: JSON.stringify(message),
  })
  const text = await response.text()
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '')
  return { status: response.status, type: response.headers.get('content-type'), body: JSON.parse(json) }
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const calls: [name: string, given: object][] = [
  ['get_pet', { petId }],
  ['get_pet', { petId: 'none' }],
  ['list_pets', { limit: 1 }],
  ['cancel_order', { orderId: 987_654 }],
]

test.each(calls)('%s %j has the same response from the package, by revision 2026-07-28', async (name, given) => {
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name }
  const message = (more: object) => ({
    jsonrpc: '2.0',
    id: 'a',
    method: 'tools/call',
    params: { name, arguments: given, _meta: { ...meta, ...more } },
  })
  const plain = await send(message({}), headers)
  expect(plain).toEqual(await send(message({ 'example.com/other': 1 }), headers))
  expect(plain.type).toBe('application/json')
  // One whose parts do not agree on the revision is rejected in both ways.
  const mixed = { 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }
  const rejected = await send(message(mixed), headers)
  expect(rejected).toEqual(await send(message({ ...mixed, 'example.com/other': 1 }), headers))
  expect(rejected.body.result).toBeUndefined()
})

test.each(calls)('%s %j has the same response from the package, by revision 2025-11-25', async (name, given) => {
  const headers = { 'MCP-Protocol-Version': '2025-11-25' }
  const params = { name, arguments: given }
  const message = { jsonrpc: '2.0', id: 3, method: 'tools/call' }
  const plain = await send({ ...message, params }, headers)
  const packaged = await send({ ...message, params: { ...params, _meta: { progressToken: 1 } } }, headers)
  expect([plain.status, plain.body]).toEqual([packaged.status, packaged.body])
  // The package streams it, which the protocol allows as well.
  expect([plain.type, packaged.type]).toEqual(['application/json', 'text/event-stream'])
})

test.each([
  ['method', { 'Mcp-Method': 'tools/list', 'Mcp-Name': 'list_pets' }],
  ['name', { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'cancel_order' }],
])('a call whose header names another %s is rejected, as the protocol asks', async (_, headers) => {
  const params = { name: 'list_pets', arguments: {}, _meta: meta }
  const message = { jsonrpc: '2.0', id: 3, method: 'tools/call', params }
  const { status } = await send(message, { 'MCP-Protocol-Version': '2026-07-28', ...headers })
  expect(status).toBe(400)
})
