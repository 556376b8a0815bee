import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { eventually } from '../../harness/eventually.ts'
import { type RunningProxy, startCaddy } from '../../harness/run/caddy.ts'
import { debianProgram } from '../../harness/run/debian-program.ts'
import { type Service, startService } from '../../harness/service.ts'

// What may follow a request in the same TCP segment. Bun's parser handles it with a bare 400 or closes the connection. The client may then
// retry, so the write must not have been done.

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const next = 'GET /healthz HTTP/1.1\r\nHost: petstore.test\r\n\r\n'
const plain = (body: string) => [`Content-Length: ${body.length}`, '', body]
const chunked = (body: string, trailer: string) => [
  'Transfer-Encoding: chunked',
  '',
  [body.length.toString(16), body, '0', trailer, ''].join('\r\n'),
]

const tails: Record<string, (body: string) => string[]> = {
  'a line break': (body) => plain(body).with(-1, `${body}\r\n`),
  'a newline': (body) => plain(body).with(-1, `${body}\n`),
  'the next request': (body) => plain(body).with(-1, body + next),
  'a chunked trailer': (body) => chunked(body, 'X-Checksum: 1\r\n'),
}
/** Creates a category in one write, and reads until the connection closes or the response is complete. */
async function send(port: number, tail: (body: string) => string[]) {
  const name = crypto.randomUUID()
  const head = ['POST /categories HTTP/1.1', 'Host: petstore.test', `X-API-Key: ${service.adminSecret}`]
  const text = [...head, `X-Request-Id: ${name}`, 'Content-Type: application/json', ...tail(`{"name":"${name}"}`)]
  const response = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text.join('\r\n')))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      if (/^HTTP\/1\.1 201 [\s\S]*\r\n\r\n\{.*\}/.test(received)) socket.destroy()
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
  // Every request is logged when it ends.
  await eventually(() => service.logged.some((line) => line.includes(`"requestId":"${name}"`)))
  const rows = await service.context.db.query('SELECT id FROM categories WHERE name = $1', [name])
  return { status: response.slice(0, 'HTTP/1.1 201'.length), written: rows.length }
}

test.each(Object.entries(tails))('%s after a POST: what does not get a 201 is not done', async (_, tail) => {
  const port = Number(new URL(service.url).port)
  const sent = await Promise.all(Array.from({ length: 20 }, () => send(port, tail)))
  for (const { status, written } of sent) {
    expect({ status, written }).toEqual({ status, written: status === 'HTTP/1.1 201' ? 1 : 0 })
  }
})

test('a POST with nothing after it is done', async () => {
  expect(await send(Number(new URL(service.url).port), plain)).toEqual({ status: 'HTTP/1.1 201', written: 1 })
})

const caddy = debianProgram('caddy')

describe.skipIf(caddy === undefined)('behind the proxy of deploy/', () => {
  let proxy: RunningProxy
  beforeAll(async () => {
    proxy = await startCaddy(caddy ?? '', [service.url])
  })
  afterAll(() => proxy.stop())

  test.each(Object.entries(tails))(
    '%s after a POST does not matter: it is done and gets its response',
    async (_, tail) => {
      const sent = await Promise.all(Array.from({ length: 5 }, () => send(proxy.port, tail)))
      expect(sent).toEqual(Array(5).fill({ status: 'HTTP/1.1 201', written: 1 }))
    },
  )
})
