import { afterAll, expect, test } from 'bun:test'
import { startTestHost, type TestSandbox } from '../harness/sandbox.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const floodSize = 200
/** A turn starts 16 requests of a sandbox, and a response may take some turns. */
const fewMax = 64

/** Opens a connection. `onResponse` gets the first line of what comes back. */
const connect = (onResponse: (line: string) => void) =>
  Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(host.url).port),
    socket: {
      data: (socket, bytes) => {
        onResponse(bytes.toString().split('\r\n', 1)[0] as string)
        socket.end()
      },
    },
  })

/** A request as text. It is sent in one piece, so that the host gets all of a flood in the same turn. */
function requestOf({ url, apiKey }: TestSandbox, method: string, path: string, body = ''): string {
  const { host: name, pathname } = new URL(url)
  const head = [`${method} ${pathname}${path} HTTP/1.1`, `Host: ${name}`, `X-API-Key: ${apiKey}`]
  const length = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return `${[...head, ...length].join('\r\n')}\r\n\r\n${body}`
}

test.each([
  { name: 'reads', method: 'GET', path: '/pets/1', body: '', status: 'HTTP/1.1 200 OK' },
  { name: 'writes', method: 'POST', path: '/categories', body: '{"name":"Owls"}', status: 'HTTP/1.1 201 Created' },
  { name: 'looks', method: 'GET', path: '/_sandbox/requests', body: '', status: 'HTTP/1.1 200 OK' },
])('a sandbox with 200 $name at once lets others go first after a few', async ({ method, path, body, status }) => {
  const [busy, other] = [await host.create(), await host.create()]
  const responses: string[] = []
  const all = Promise.withResolvers<void>()
  const note = (sandbox: string) => (line: string) => {
    responses.push(`${sandbox} ${line}`)
    if (responses.length === floodSize + 1) all.resolve()
  }
  const flood = await Promise.all(Array.from({ length: floodSize }, () => connect(note('busy'))))
  const last = await connect(note('other'))

  for (const socket of flood) socket.write(requestOf(busy, method, path, body))
  last.write(requestOf(other, method, path, body))
  await all.promise

  expect(responses.filter((response) => response === `busy ${status}`)).toHaveLength(floodSize)
  expect(responses.indexOf(`other ${status}`)).toBeWithin(0, fewMax)
})
