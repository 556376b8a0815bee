import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { eventually } from '../../server/test/harness/eventually.ts'
import { freePort } from '../../server/test/harness/run/free-port.ts'
import { cert, key } from '../../server/test/platform/webhooks/tls.ts'
import { atEnd, order, sendJson, startApi, startJudged } from './harness/judged-api.ts'

// The proxy of petstore judge: what passes it unchanged, and what each fault does to client and upstream.

/** All bytes that come until the connection closes. */
async function sendRaw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(text)
  let all = ''
  for await (const chunk of socket) all += chunk
  return all
}

test('without a fault, a request and its response pass unchanged', async () => {
  const api = await startApi((_, response) => {
    response.writeHead(207, 'Several', [
      ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Mixed-Case', 'Kept', 'Content-Type', 'text/plain'],
    ])
    response.end('hello')
  })
  const { url } = await startJudged(api.url)
  const headers = { 'X-Api-Key': 'k', 'Accept-Encoding': 'identity', 'User-Agent': 'mine' }
  const response = await fetch(`${url}/a%20b?x=1&x=2`, { method: 'PUT', body: 'body', headers })
  expect([response.status, response.statusText, await response.text()]).toEqual([207, 'Several', 'hello'])
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(response.headers.get('x-mixed-case')).toBe('Kept')
  const [request] = api.received
  expect([request?.method, request?.url, String(request?.body)]).toEqual(['PUT', '/a%20b?x=1&x=2', 'body'])
  expect(request?.headers).toMatchObject({ 'x-api-key': 'k', 'user-agent': 'mine', 'content-length': '4' })
  expect(request?.headers['accept-encoding']).toBe('identity')
})

test('the path of the upstream is a part of the address', async () => {
  const api = await startApi(sendJson)
  const { url } = await startJudged(`${api.url}/v1/`)
  await order(url)
  expect(api.received[0]?.url).toBe('/v1/orders')
})

test('lost: the upstream does it, the client gets no byte, and the next try passes', async () => {
  const api = await startApi(sendJson)
  const { url, last } = await startJudged(api.url, ['lost'])
  const raw = await sendRaw(url, 'POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"item":1}')
  expect([raw, api.received.length]).toEqual(['', 1])
  expect(last()).toMatchObject({ received: 'cut', status: null, fault: 'lost' })
  expect((await order(url)).status).toBe(201)
  expect([last()?.received, last()?.status, last()?.fault]).toEqual(['complete', 201, undefined])
  expect(api.received.length).toBe(2)
})

test('before: the upstream hears nothing, three times', async () => {
  const api = await startApi(sendJson)
  const { url, last } = await startJudged(api.url, ['before'])
  for (let tries = 1; tries <= 3; tries++) {
    await expect(order(url)).rejects.toThrow()
    expect([last()?.received, last()?.fault, api.received.length]).toEqual(['cut', 'before', 0])
  }
  expect((await order(url)).status).toBe(201)
})

test.each([
  ['of a known length', (response: ServerResponse) => response.setHeader('content-length', 200_000)],
  ['sent in parts', () => undefined],
])('cut: a body %s ends in its middle', async (_, prepare) => {
  const api = await startApi((_, response) => {
    prepare(response)
    response.end('x'.repeat(200_000))
  })
  const { url, last } = await startJudged(api.url, ['cut'])
  const raw = await sendRaw(url, 'GET /items HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(raw.slice(0, 15)).toBe('HTTP/1.1 200 OK')
  const got = raw.match(/x{100}/g)?.length ?? 0
  expect(got).toBeGreaterThan(0)
  expect(got).toBeLessThanOrEqual(1_000)
  expect(last()).toMatchObject({ received: 'cut', status: 200, fault: 'cut' })
  expect((await (await fetch(`${url}/items`)).text()).length).toBe(200_000)
})

test('slow: the response comes late, and a client that leaves has abandoned it', async () => {
  const api = await startApi(sendJson)
  const patient = await startJudged(api.url, ['slow'])
  expect((await order(patient.url)).status).toBe(201)
  expect(patient.last()?.durationMs).toBeGreaterThanOrEqual(195)
  const hasty = await startJudged(api.url, ['slow'])
  await expect(
    fetch(`${hasty.url}/orders`, { method: 'POST', body: '{"item":1}', signal: AbortSignal.timeout(100) }),
  ).rejects.toThrow()
  await eventually(() => hasty.last()?.received === 'abandoned')
  expect(api.received.length).toBe(2)
})

test('limited and unavailable: what the profile says is sent, and the upstream hears nothing', async () => {
  const api = await startApi(sendJson)
  const limited = await startJudged(api.url, ['limited'])
  const rejected = await order(limited.url)
  expect([rejected.status, rejected.headers.get('retry-after'), await rejected.text()]).toEqual([
    429,
    '7',
    '{"code":"too_many"}',
  ])
  expect(limited.last()).toMatchObject({ status: 429, fault: 'limited', responseBody: '{"code":"too_many"}' })
  expect(api.received).toEqual([])
  expect((await order(limited.url)).status).toBe(201)

  const unavailable = await startJudged(api.url, ['unavailable'])
  const statuses = []
  for (let tries = 0; tries < 4; tries++) statuses.push((await order(unavailable.url)).status)
  expect(statuses).toEqual([503, 503, 503, 201])
})

test('the fault belongs to the call: what else is sent meanwhile gets its own', async () => {
  const api = await startApi(sendJson)
  const { url, recorder } = await startJudged(api.url, ['lost', 'limited'])
  const each = async (body: string) => {
    const got = []
    for (let tries = 0; tries < 2; tries++)
      got.push(
        await fetch(`${url}/orders`, { method: 'POST', body }).then(
          ({ status }) => status,
          () => 'lost',
        ),
      )
    return got
  }
  const first = await each('{"item":1}')
  const second = await each('{"item":2}')
  const third = await each('{"item":3}')
  expect([first, second].toSorted()).toEqual([
    [429, 201],
    ['lost', 201],
  ])
  expect(third).toEqual([201, 201])
  expect(recorder.exchanges().filter(({ fault }) => fault !== undefined).length).toBe(2)
})

const at = (url: string) =>
  `{"next":"${url}/items?page=2","escaped":"${url.replaceAll('/', '\\/')}\\/x","other":"${url}9/x"}`

test('addresses of the upstream in headers and JSON become those of the proxy; packed bodies pass as they are', async () => {
  const api = await startApi(({ url }, response) => {
    response.writeHead(200, {
      'content-type': 'application/problem+json; charset=utf-8',
      location: `${api.url}/items/1`,
      link: `<${api.url}/items?page=2>; rel="next"`,
      ...(url === '/packed' && { 'content-encoding': 'gzip' }),
    })
    response.end(url === '/packed' ? gzipSync(at(api.url)) : at(api.url))
  })
  const { url } = await startJudged(api.url)
  const response = await fetch(`${url}/items`)
  expect(await response.text()).toBe(at(url).replace(`${url}9`, `${api.url}9`))
  expect([response.headers.get('location'), response.headers.get('link')]).toEqual([
    `${url}/items/1`,
    `<${url}/items?page=2>; rel="next"`,
  ])
  expect(await (await fetch(`${url}/packed`)).text()).toBe(at(api.url))
})

test('the code of a packed error is read', async () => {
  const api = await startApi((_, response) => {
    response.writeHead(500, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(gzipSync('{"code":"busy"}'))
  })
  const { url, last } = await startJudged(api.url)
  await (await order(url)).text()
  expect(last()).toMatchObject({ status: 500, responseBody: '{"code":"busy"}' })
})

test('JSON that is sent in parts comes as it is sent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const api = await startApi(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"event":1}\n')
    await promise
    response.end('{"event":2}\n')
  })
  const { url } = await startJudged(api.url)
  const reader = (await fetch(`${url}/watch`)).body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('{"event":1}\n')
  resolve()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('{"event":2}\n')
})

test('the target, and headers that are written several times, pass as they are', async () => {
  const api = await startApi((_, response) => {
    response.socket?.end(
      'HTTP/1.1 200 OK\r\nX-One: a\r\nx-one: b\r\nSet-Cookie: c=1\r\nset-cookie: d=2\r\nContent-Length: 2\r\n\r\nok',
    )
  })
  const { url } = await startJudged(api.url)
  const raw = await sendRaw(url, "GET /a/../b/./c?x='b' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
  expect(api.received[0]?.url).toBe("/a/../b/./c?x='b'")
  for (const value of ['a', 'b', 'c=1', 'd=2']) expect(raw).toContain(value)
})

test('a body passes with any method, also in parts', async () => {
  const api = await startApi(sendJson)
  const { url } = await startJudged(api.url)
  const chunked = 'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n'
  for (const method of ['DELETE', 'GET', 'PATCH'])
    expect(await sendRaw(url, `${method} /a HTTP/1.1\r\nHost: x\r\n${chunked}`)).toContain('{"got":"hello"}')
})

test('cut: a response without a body has no middle, so it passes', async () => {
  const api = await startApi((_, response) => response.writeHead(204).end())
  const { url, last } = await startJudged(api.url, ['cut'])
  expect((await order(url)).status).toBe(204)
  expect([last()?.received, last()?.fault]).toEqual(['complete', undefined])
})

test('an upstream that responds before it has the body is heard', async () => {
  const upstream = createServer((request, response) => {
    response.write('at once')
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  atEnd(() => upstream.close())
  const { url } = await startJudged(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('POST /duplex HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n')
  let got = ''
  socket.on('data', (chunk) => (got += chunk))
  await eventually(() => got.includes('at once'))
  socket.destroy()
})

test('an address is found wherever the parts of a body are divided, and other bodies stay as they are', async () => {
  const api = await startApi(async ({ url }, response) => {
    response.setHeader('content-type', url === '/json' ? 'application/json' : 'text/plain')
    for (const letter of JSON.stringify({ ä: `${api.url}/é`, end: api.url })) {
      response.write(letter)
      await pause(0)
    }
    response.end()
  })
  const { url } = await startJudged(api.url)
  expect(await (await fetch(`${url}/json`)).json()).toEqual({ ä: `${url}/é`, end: url })
  expect(await (await fetch(`${url}/text`)).text()).toContain(api.url)
})

test('a stream of events passes as it comes', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const api = await startApi(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: first\n\n')
    await promise
    response.end('data: second\n\n')
  })
  const { url, last } = await startJudged(api.url)
  const response = await fetch(`${url}/events`)
  const reader = response.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: first\n\n')
  expect(last()?.received).toBe('open')
  resolve()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: second\n\n')
  expect((await reader?.read())?.done).toBe(true)
  await eventually(() => last()?.received === 'complete')
})

test('an upstream that is down closes the connection, and is named', async () => {
  const { url, last, failures } = await startJudged(`http://127.0.0.1:${await freePort()}`)
  await expect(order(url)).rejects.toThrow()
  expect(last()).toMatchObject({ received: 'cut', status: null })
  expect([...failures()]).toEqual([['ECONNREFUSED', 1]])
})

test('the certificate of the upstream is checked', async () => {
  let heard = 0
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { key, cert },
    fetch: () => new Response(String(++heard)),
  })
  atEnd(() => upstream.stop(true))
  const { url, failures } = await startJudged(`https://127.0.0.1:${upstream.port}`)
  await expect(order(url)).rejects.toThrow()
  expect([[...failures()], heard]).toEqual([[['DEPTH_ZERO_SELF_SIGNED_CERT', 1]], 0])
})

test('an upstream that breaks off in the middle of a body does so for the client', async () => {
  const api = await startApi((_, response) => {
    response.writeHead(200, { 'content-length': 10 })
    response.write('12345')
    setTimeout(() => response.socket?.destroy(), 20)
  })
  const { url, last } = await startJudged(api.url)
  await expect(fetch(`${url}/items`).then((response) => response.text())).rejects.toThrow()
  await eventually(() => last()?.received !== 'open')
  expect(last()?.received).toBe('cut')
})

test('a client that leaves ends the request to the upstream', async () => {
  let isClosed = false
  const api = await startApi((_, response) => response.on('close', () => (isClosed = true)))
  const { url, last } = await startJudged(api.url)
  await expect(fetch(`${url}/hang`, { signal: AbortSignal.timeout(100) })).rejects.toThrow()
  await eventually(() => isClosed)
  expect(last()).toMatchObject({ received: 'abandoned', status: null })
})
