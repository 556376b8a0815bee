import { expect, test } from 'bun:test'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { isPublic } from '../../../src/platform/webhooks/address.ts'
import { send } from '../../../src/platform/webhooks/send.ts'
import { findUrlFault } from '../../../src/platform/webhooks/url.ts'
import { hostileUrls } from './hostile-urls.ts'
import { startAnyReceiver } from './receiver.ts'

// No connection is made to a non-public address, in any notation and whatever a name resolves to.

/** A loopback port, IPv4 and IPv6, that counts connections. */
async function countingPort() {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port, connections: () => connections, [Symbol.asyncDispose]: close }
}

const message = { headers: {}, body: '{}' }
const guarded = { allowPrivate: false, timeoutMs: 10_000 }

test('no hostile URL is accepted for a webhook, and none is connected to', async () => {
  await using target = await countingPort()
  const urls = hostileUrls(target.port)
  expect(urls.length).toBeGreaterThanOrEqual(60)
  for (const url of urls) {
    expect([url, typeof findUrlFault(url, guarded)]).toEqual([url, 'string'])
    const sent = await send({ url, ...message }, guarded)
    expect([url, sent.status, typeof sent.error]).toEqual([url, undefined, 'string'])
  }
  expect(target.connections()).toBe(0)
})

test('the listener would notice: with private networks allowed, a connection is made', async () => {
  await using target = await countingPort()
  for (const host of ['127.0.0.1', '2130706433', 'localhost']) {
    const before = target.connections()
    await send({ url: `http://${host}:${target.port}/`, ...message }, { allowPrivate: true })
    expect([host, target.connections() > before]).toEqual([host, true])
  }
})

test('a name with any address that is not public is not connected to', async () => {
  await using target = await countingPort()
  const responses = [
    ['127.0.0.1'],
    ['::1'],
    ['8.8.8.8', '127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['fe80::1%lo'],
    [],
    ['nonsense'],
  ]
  for (const addresses of responses) {
    const url = `https://hooks.example.com:${target.port}/`
    const sent = await send({ url, ...message }, { ...guarded, resolve: async () => addresses })
    expect([addresses, sent.error]).toEqual([addresses, 'the host has no public IP address'])
  }
  expect(target.connections()).toBe(0)
})

test('a name that cannot be resolved looks the same as one that is rejected', async () => {
  const url = 'https://hooks.example.com/'
  const failing = async () => Promise.reject(new Error('ENOTFOUND'))
  const sent = await send({ url, ...message }, { ...guarded, resolve: failing })
  expect(sent.error).toBe('the host has no public IP address')
})

test('a name that resolves to a public address first and a private one later is checked at every attempt', async () => {
  await using target = await countingPort()
  const stop = new AbortController()
  let asked = 0
  const resolve = async () => {
    if (asked++ > 0) return ['127.0.0.1']
    // Tests call nothing outside: the attempt ends here, after the check.
    stop.abort(new Error('stopped'))
    return ['8.8.8.8']
  }
  const url = `https://rebinding.example.com:${target.port}/`
  const first = await send({ url, ...message }, { ...guarded, resolve, signal: stop.signal })
  expect([asked, first.error]).toEqual([1, 'stopped'])
  const second = await send({ url, ...message }, { ...guarded, resolve })
  expect([asked, second.error]).toEqual([2, 'the host has no public IP address'])
  expect(target.connections()).toBe(0)
})

test('a name is resolved once, and the connection uses the checked address', async () => {
  await using receiver = await startAnyReceiver()
  const { port } = new URL(receiver.url)
  let asked = 0
  const resolve = async () => {
    asked++
    return ['127.0.0.1']
  }
  const url = `http://nowhere.example.com:${port}/hook?a=b`
  expect((await send({ url, ...message }, { allowPrivate: true, resolve })).status).toBe(204)
  expect([asked, receiver.received[0]?.headers.host, receiver.received[0]?.path]).toEqual([
    1,
    `nowhere.example.com:${port}`,
    '/hook?a=b',
  ])
})

test('redirects are not followed', async () => {
  await using target = await countingPort()
  for (const status of [300, 301, 302, 303, 307, 308]) {
    for (const location of [
      `http://127.0.0.1:${target.port}/`,
      `//127.0.0.1:${target.port}/`,
      'http://169.254.169.254/',
    ]) {
      await using receiver = await startAnyReceiver((_, response) =>
        response.writeHead(status, { location, refresh: `0;url=${location}` }).end(),
      )
      const sent = await send({ url: `${receiver.url}/`, ...message }, { allowPrivate: true })
      expect([sent.status, receiver.received.length]).toEqual([status, 1])
    }
  }
  expect(target.connections()).toBe(0)
})

test('proxy settings of the environment are ignored', async () => {
  await using proxy = await countingPort()
  await using receiver = await startAnyReceiver()
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY']
  const before = names.map((name) => process.env[name])
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
  try {
    expect((await send({ url: `${receiver.url}/`, ...message }, { allowPrivate: true })).status).toBe(204)
    await send({ url: `https://127.0.0.1:${new URL(receiver.url).port}/`, ...message }, { allowPrivate: true })
  } finally {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name]
      else process.env[name] = before[index]
    }
  }
  expect(proxy.connections()).toBe(0)
})

test('internet addresses are public', () => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '193.0.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '2a00:1450::5efe',
    '2a00:1450::5efe:0:7f00:1',
  ])
    expect([address, isPublic(address)]).toEqual([address, true])
})

test('typical receiver URLs are accepted', () => {
  for (const url of [
    'https://example.com/hooks',
    'https://EXAMPLE.com',
    'https://hooks.example.com:8443/a?b=c',
    'https://example.com:443/',
    'https://8.8.8.8/x',
    'https://[2606:4700::1111]/',
    'https://bücher.example/',
  ])
    expect([url, findUrlFault(url, { allowPrivate: false })]).toEqual([url, undefined])
})
