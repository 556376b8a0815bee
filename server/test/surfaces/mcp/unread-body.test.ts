import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { startService } from '../../harness/service.ts'

// The body of a message is read only for a caller whose limits could admit it. Here it never arrives.

const service = await startService()
afterAll(() => service.stop())

/** Sends the head of a message, and returns the response to just that. */
async function sendHead(headers: string[]): Promise<string> {
  const { port } = new URL(service.url)
  const received = Promise.withResolvers<string>()
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('data', (bytes) => received.resolve(String(bytes)))
  socket.on('error', received.reject)
  const head = ['POST /mcp HTTP/1.1', 'Host: petstore.test', 'Content-Type: application/json', 'Content-Length: 200000']
  socket.write([...head, ...headers, '', ''].join('\r\n'))
  try {
    return await received.promise
  } finally {
    socket.destroy()
  }
}

test.each([
  ['no key', []],
  ['a wrong key', [`X-API-Key: ${newSecret()}`]],
  ['two keys', [`X-API-Key: ${newSecret()}`, `Authorization: Bearer ${newSecret()}`]],
])('with %s, no body is read', async (_, headers) => {
  const response = await sendHead(headers)
  expect(response).toMatch(/^HTTP\/1\.1 40[01] /)
  expect(response).toContain('"jsonrpc":"2.0"')
})

test('no more bodies are read in a minute than the limits of the key could admit', async () => {
  const { secret = '' } = await service.newClient({ plan: 'free' })
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' }
  // 60 requests and 600 protocol messages.
  const send = () => fetch(`${service.url}/mcp`, { method: 'POST', headers, body: 'x' })
  await Promise.all(Array.from({ length: 660 }, send))
  const rejected = await sendHead([`X-API-Key: ${secret}`])
  expect(rejected).toStartWith('HTTP/1.1 429 ')
  expect(rejected).toContain('All 660 requests to /mcp with this key in this minute are used.')
  service.clock.advance(60_000)
  expect((await send()).status).toBe(400)
})
