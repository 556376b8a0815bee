import { afterAll, afterEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { eventually } from '../../harness/eventually.ts'
import { startService } from '../../harness/service.ts'

// What no client library sends: contradictory headers, endless bodies, invalid hosts.

const service = await startService()
afterAll(() => service.stop())
const api = service.admin
await api.newCategory()

afterEach(async () => expect((await api.get('/pets?limit=1')).status).toBe(200))

/** Sends the bytes and reads until the other side closes. */
const sendBytes = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(text))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
const post = (headers: string[], body: string) =>
  sendBytes(
    ['POST /categories HTTP/1.1', 'Host: petstore.test', `X-API-Key: ${service.adminSecret}`, ...headers]
      .concat('Content-Type: application/json', 'Connection: close', '', body)
      .join('\r\n'),
  )

test('two equal Content-Length headers get the Error object', async () => {
  const response = await post(['Content-Length: 15', 'Content-Length: 15'], '{"name":"Dogs"}')
  expect(response).toStartWith('HTTP/1.1 400 ')
  expect(response).toContain('"code":"validation_failed"')
  expect(response).toContain('/Content-Length')
})

test('two equal Content-Length headers do not get a large body past the limit', async () => {
  const response = await post(['Content-Length: 300000', 'Content-Length: 300000'], ' '.repeat(300_000))
  expect(response).toStartWith('HTTP/1.1 413 ')
  expect(response).toContain('"code":"body_too_large"')
})

test.each(['/categories?limit=1', '/docs', '/nowhere'])('a second Host header is rejected at %s', async (path) => {
  const head = [`GET ${path} HTTP/1.1`, 'Host: petstore.test', 'Host: other.test', `X-API-Key: ${service.adminSecret}`]
  const response = await sendBytes([...head, 'Connection: close', '', ''].join('\r\n'))
  expect(response).toStartWith('HTTP/1.1 400 ')
  expect(response).toContain('the header `Host` must be given once')
})

// A rejected client could otherwise keep sending forever.
const unread: [what: string, head: string[], status: number][] = [
  ['without a key', ['POST /categories HTTP/1.1'], 401],
  ['for no path', ['POST /nowhere HTTP/1.1'], 404],
  ['for a wrong method', ['PATCH /categories HTTP/1.1', `X-API-Key: ${service.adminSecret}`], 405],
  ['with GET', ['GET /categories HTTP/1.1', `X-API-Key: ${service.adminSecret}`], 200],
  ['for a page', ['GET /docs HTTP/1.1'], 200],
]
test.each(unread)('an endless body, sent %s, is cut off by the response', async (_, head, status) => {
  const chunk = `10000\r\n${'z'.repeat(65_536)}\r\n`
  const responded = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<void>()
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.on('data', (bytes) => responded.resolve(String(bytes)))
  socket.on('error', () => undefined)
  socket.on('close', () => ended.resolve())
  socket.write([...head, 'Host: petstore.test', 'Transfer-Encoding: chunked', '', chunk].join('\r\n'))
  expect(await responded.promise).toStartWith(`HTTP/1.1 ${status} `)
  const writeMore = (): unknown => {
    if (socket.destroyed) return undefined
    return socket.write(chunk) ? setImmediate(writeMore) : socket.once('drain', writeMore)
  }
  writeMore()
  await ended.promise
})

// Without a valid Host the request has no valid URL, only a path.
const noHost: [what: string, version: string, host: string[]][] = [
  ['HTTP/1.0 without Host', '1.0', []],
  ...['', '[', '%', 'a:b:c', 'x:99999', 'a/b'].map(
    (host) => [`the Host ${host || 'left empty'}`, '1.1', [`Host: ${host}`]] as [string, string, string[]],
  ),
]
test.each(noHost)('%s is served', async (_, version, host) => {
  const ask = (method: string, path: string, headers: string[], body = '') =>
    sendBytes(
      [`${method} ${path} HTTP/${version}`, ...host, `X-API-Key: ${service.adminSecret}`, ...headers]
        .concat('Connection: close', '', body)
        .join('\r\n'),
    )
  const json = ['Content-Type: application/json', 'Content-Length: 15', `Idempotency-Key: ${crypto.randomUUID()}`]
  expect(await ask('POST', '/categories', json, '{"name":"Dogs"}')).toStartWith('HTTP/1.1 201 ')
  const page = await ask('GET', '/categories?limit=1&sort=-id', [])
  expect(page).toStartWith('HTTP/1.1 200 ')
  expect(page).toMatch(/^link: <http:\/\/petstore\.test\/categories\?limit=1&sort=-id&cursor=\w+>; rel="next"\r$/im)
  expect(await ask('GET', '/docs/none', [])).toStartWith('HTTP/1.1 404 ')
  expect(await ask('GET', '/docs/guides/', [])).toMatch(/^location: \/docs\/guides\r$/im)
})

test('a body without a declared length is measured as it arrives', async () => {
  const chunk = `${(1024).toString(16)}\r\n${' '.repeat(1024)}\r\n`
  const response = await post(['Transfer-Encoding: chunked'], `${chunk.repeat(300)}0\r\n\r\n`)
  expect(response).toStartWith('HTTP/1.1 413 ')
})

test('a client that disconnects while sending its body is not logged as a failure', async () => {
  // GET /limits costs nothing, so it shows when the request has been counted and its body is awaited.
  const left = async () => (await api.get('/limits')).body.windows[0].remaining as number
  for (const length of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    const requestId = crypto.randomUUID()
    const head = ['POST /categories HTTP/1.1', 'Host: petstore.test', `X-API-Key: ${service.adminSecret}`, length]
    const text = head
      .concat(`X-Request-Id: ${requestId}`, 'Content-Type: application/json', '', '5\r\n{"nam')
      .join('\r\n')
    service.clock.advance(60_000)
    const leftBefore = await left()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(text))
    await eventually(async () => (await left()) !== leftBefore)
    socket.destroy()
    const lines = () => service.logged.flatMap((text) => text.split('\n')).filter((line) => line.includes(requestId))
    await eventually(() => lines().length !== 0)
    expect(lines().map((line) => JSON.parse(line))).toMatchObject([{ message: 'request', status: 400 }])
  }
})
