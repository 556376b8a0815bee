import { expect, test } from 'bun:test'
import https from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { connectInChunks, send } from '../../../src/platform/webhooks/send.ts'
import { newSigningSecret, signatures } from '../../../src/platform/webhooks/sign.ts'
import { startAnyReceiver, verify } from './receiver.ts'
import * as tls from './tls.ts'

// How the sender handles receivers that misbehave. The timeout is short here; in the service it is 15 seconds.

const message = { headers: { 'webhook-id': 'evt_1' }, body: '{"hello":"world"}' }
const open = { allowPrivate: true }
const toLoopback = async () => ['127.0.0.1']

/** A raw socket server: the test decides what the receiver sends. */
async function startSocketServer(serve: (socket: Socket) => void) {
  const ended: Promise<void>[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    ended.push(new Promise((resolve) => socket.on('close', () => resolve())))
    socket.on('error', () => undefined)
    socket.resume()
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Resolves when all connections so far have ended. */
    allEnded: () => Promise.all(ended),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const bytesHeld = () => {
  Bun.gc(true)
  return process.memoryUsage().rss
}

test('a message arrives as sent, and the response is returned', async () => {
  await using receiver = await startAnyReceiver((_, response) => response.writeHead(201).end('thank you'))
  const sent = await send({ url: `${receiver.url}/in?x=1`, ...message }, open)
  expect(sent).toEqual({ status: 201, response: 'thank you', latencyMs: expect.any(Number) })
  const [received] = receiver.received
  expect([received?.path, received?.body, received?.headers['webhook-id']]).toEqual(['/in?x=1', message.body, 'evt_1'])
  expect(received?.headers['accept-encoding']).toBe('identity')
  expect(received?.headers['content-length']).toBe(String(message.body.length))
})

test('the official library accepts our signatures, with either secret during a rotation', () => {
  const [old, current, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()]
  const timestamp = Math.floor(Date.now() / 1000)
  const signed = { id: 'evt_1', timestamp, body: message.body }
  const received = {
    body: message.body,
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures([current, old], signed),
    },
  }
  for (const secret of [old, current]) expect(verify(secret, received)).toEqual({ hello: 'world' })
  expect(() => verify(other, received)).toThrow()
  expect(() => verify(current, { ...received, body: '{"hello":"World"}' })).toThrow()
})

test('over TLS the certificate must match the name and be trusted', async () => {
  const server = https.createServer(tls, (request, response) => response.end(`you asked for ${request.headers.host}`))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const to = (host: string, ca?: string) =>
    send({ url: `https://${host}:${port}/`, ...message }, { ...open, resolve: toLoopback, ...(ca && { ca }) })
  expect(await to(tls.name, tls.cert)).toMatchObject({ status: 200, response: `you asked for ${tls.name}:${port}` })
  expect(await to('other.example.com', tls.cert)).toMatchObject({ error: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  expect(await to('127.0.0.1', tls.cert)).toMatchObject({ error: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  expect(await to(tls.name)).toMatchObject({ error: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  await new Promise((resolve) => server.close(resolve))
})

test.each([
  ['says nothing', () => undefined],
  ['sends its head byte by byte', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Long: ', 'x')],
  [
    'sends its response byte by byte',
    (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n', 'x'),
  ],
])('a receiver that %s is abandoned after the timeout, and its connection closed', async (_, serve) => {
  await using receiver = await startSocketServer(serve)
  const sent = await send({ url: receiver.url, ...message }, { ...open, timeoutMs: 500 })
  expect(sent).toMatchObject({ error: 'no response within 0.5 s' })
  await receiver.allEnded()
})

test('without a shorter timeout, a receiver has 15 seconds', async () => {
  await using receiver = await startSocketServer(() => undefined)
  const { timeout } = AbortSignal
  // The time passes at once.
  AbortSignal.timeout = () => timeout.call(AbortSignal, 1)
  try {
    expect((await send({ url: receiver.url, ...message }, open)).error).toBe('no response within 15 s')
  } finally {
    AbortSignal.timeout = timeout
  }
})

function drip(socket: Socket, first: string, then: string): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(then), 20)
  socket.on('close', () => clearInterval(timer))
}

test('an endless response is read up to 64 KiB, and then the connection is closed', async () => {
  let written = 0
  await using receiver = await startSocketServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')])
    const pour = () => {
      do written += chunk.length
      while (!socket.destroyed && socket.write(chunk))
    }
    socket.on('drain', pour)
    pour()
  })
  const before = bytesHeld()
  const sent = await send({ url: receiver.url, ...message }, open)
  expect([sent.status, sent.response]).toEqual([200, 'x'.repeat(1024)])
  await receiver.allEnded()
  expect(written).toBeLessThan(64 * 1024 * 1024)
  expect(bytesHeld() - before).toBeLessThan(64 * 1024 * 1024)
})

const link = `Link: </${'x'.repeat(4_000)}>`
test.each([
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n', 10],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n', 10],
  ['103 Early Hints of 4 kB', `HTTP/1.1 103 Early Hints\r\n${link}\r\n\r\n`, 4],
])('interim responses (%s) are skipped, and too many end the attempt', async (_, interim, passed) => {
  const serve = (count: number) => (socket: Socket) => {
    let written = 0
    const pour = () => {
      while (!socket.destroyed && written < count) {
        written++
        if (!socket.write(interim)) return
      }
      if (!socket.destroyed) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    }
    socket.on('drain', pour)
    pour()
  }
  await using some = await startSocketServer(serve(passed))
  expect(await send({ url: some.url, ...message }, open)).toMatchObject({ status: 200, response: 'ok' })
  await using oneMore = await startSocketServer(serve(passed + 1))
  expect((await send({ url: oneMore.url, ...message }, open)).error).toBe('too many interim responses')
  await using endless = await startSocketServer(serve(Number.POSITIVE_INFINITY))
  expect((await send({ url: endless.url, ...message }, open)).error).toBe('too many interim responses')
  await endless.allEnded()
})

test('received data is not passed on once a connection is destroyed', async () => {
  await using flood = await startSocketServer((socket) => void socket.write('x'.repeat(1_000_000)))
  const { port } = new URL(flood.url)
  const closed = Promise.withResolvers<void>()
  const to = { host: '127.0.0.1', port: Number(port) }
  const pieces = connectInChunks(to, { isTls: false, onError: closed.reject })
  const sizes: number[] = []
  pieces.on('data', ({ length }: Buffer) => {
    sizes.push(length)
    pieces.destroy()
  })
  pieces.on('close', closed.resolve)
  await closed.promise
  await flood.allEnded()
  expect(sizes).toEqual([1024])
})

test('an endless header is rejected', async () => {
  await using receiver = await startSocketServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const line = `X-More: ${'x'.repeat(8_000)}\r\n`
    const pour = () => {
      while (!socket.destroyed && socket.write(line)) {
        // until the sender stops reading
      }
    }
    socket.on('drain', pour)
    pour()
  })
  const before = bytesHeld()
  const sent = await send({ url: receiver.url, ...message }, { ...open, timeoutMs: 5_000 })
  expect([sent.status, typeof sent.error]).toEqual([undefined, 'string'])
  await receiver.allEnded()
  expect(bytesHeld() - before).toBeLessThan(128 * 1024 * 1024)
})

test('a compressed response is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024))
  await using receiver = await startAnyReceiver((_, response) =>
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': bomb.length }).end(bomb),
  )
  const before = bytesHeld()
  const sent = await send({ url: receiver.url, ...message }, open)
  expect(sent.status).toBe(200)
  expect(sent.response?.length).toBeLessThanOrEqual(1024)
  expect(bytesHeld() - before).toBeLessThan(64 * 1024 * 1024)
})

test('an incomplete response is not a success', async () => {
  await using receiver = await startSocketServer((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
  })
  const sent = await send({ url: receiver.url, ...message }, open)
  expect([sent.status, typeof sent.error]).toEqual([undefined, 'string'])
})

test('the stored part of a response is text that any database accepts', async () => {
  const euros = '€'.repeat(400)
  await using receiver = await startAnyReceiver((_, response) => response.end(`\0${euros}`))
  const { response } = await send({ url: receiver.url, ...message }, open)
  expect(response).toBe('€'.repeat(341))
})

test('a port without a listener gives an error code', async () => {
  const receiver = await startAnyReceiver()
  await receiver[Symbol.asyncDispose]()
  expect(await send({ url: receiver.url, ...message }, open)).toMatchObject({ error: 'ECONNREFUSED' })
})

test('an attempt can be aborted', async () => {
  await using receiver = await startSocketServer(() => undefined)
  const stop = new AbortController()
  const sending = send({ url: receiver.url, ...message }, { ...open, signal: stop.signal })
  stop.abort(new Error('stopping'))
  expect((await sending).error).toBe('stopping')
})
