import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createAddressReader } from '../../../src/platform/access/address.ts'
import { flood, tally, windowIn } from '../../harness/flood.ts'
import { type Service, startService } from '../../harness/service.ts'

// Without a proxy all requests come from one address, so each test has a separate service.
let behindProxy: Service
let direct: Service
beforeAll(async () => {
  behindProxy = await startService({ env: { TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' } })
})
beforeEach(async () => {
  direct = await startService()
})
afterEach(() => direct.stop())
afterAll(() => behindProxy.stop())

const left = async (service: Service, forwardedFor: string) =>
  windowIn(await service.as(undefined).get('/pets', { 'X-Forwarded-For': forwardedFor })).remaining

test('unauthenticated callers are metered by address, with the limits of the free plan', async () => {
  const responses = await flood(direct.as(undefined), 100)
  expect(tally(responses)).toEqual({ missing_api_key: 60, rate_limited: 40 })
  direct.clock.advance(60_000)
  for (let minute = 0; minute < 15; minute++) {
    await flood(direct.as(undefined), 60)
    direct.clock.advance(60_000)
  }
  expect(tally(await flood(direct.as(undefined), 60))).toEqual({ missing_api_key: 40, quota_exhausted: 20 })
})

test('an address is never banned', async () => {
  await flood(direct.as(undefined), 60)
  for (let second = 0; second < 3; second++) {
    direct.clock.advance(2_000)
    await flood(direct.as(undefined), 60)
  }
  direct.clock.advance(60_000)
  expect(tally(await flood(direct.as(undefined), 1))).toEqual({ missing_api_key: 1 })
})

test('an address over its limit does not affect a valid key', async () => {
  await flood(direct.as('wrong'), 100)
  const client = await direct.newClient({ plan: 'free' })
  const response = await client.get('/pets')
  expect([response.status, windowIn(response).remaining]).toEqual([200, 59])
})

test('X-Forwarded-For is ignored unless it comes from a trusted proxy', async () => {
  expect(await left(direct, '203.0.113.1')).toBe(59)
  expect(await left(direct, '203.0.113.2')).toBe(58)
})

test('behind a trusted proxy each client is metered by its own address', async () => {
  expect(await left(behindProxy, '203.0.113.1')).toBe(59)
  expect(await left(behindProxy, '203.0.113.2')).toBe(59)
  expect(await left(behindProxy, '203.0.113.1')).toBe(58)
})

test('addresses that the client wrote into the header are ignored', async () => {
  expect(await left(behindProxy, '1.1.1.1, 203.0.113.7')).toBe(59)
  expect(await left(behindProxy, '2.2.2.2, 203.0.113.7')).toBe(58)
  expect(await left(behindProxy, '3.3.3.3,203.0.113.7 , 10.1.2.3')).toBe(57)
})

test('IPv6 is counted by /64', async () => {
  expect(await left(behindProxy, '2001:db8:1:2::1')).toBe(59)
  expect(await left(behindProxy, '2001:DB8:1:2:ffff:ffff:ffff:ffff')).toBe(58)
  expect(await left(behindProxy, '2001:0db8:0001:0002:0:0:0:3')).toBe(57)
  expect(await left(behindProxy, '2001:db8:1:3::1')).toBe(59)
})

test('a port and brackets are ignored', async () => {
  expect(await left(behindProxy, '203.0.113.20:1234')).toBe(59)
  expect(await left(behindProxy, '203.0.113.20:80')).toBe(58)
  expect(await left(behindProxy, '203.0.113.20')).toBe(57)
  expect(await left(behindProxy, '[2001:db8:20::1]')).toBe(59)
  expect(await left(behindProxy, '[2001:db8:20::2]:443')).toBe(58)
  expect(await left(behindProxy, '2001:db8:20::3')).toBe(57)
})

test('an IPv4-mapped IPv6 address counts as IPv4, in every spelling', async () => {
  expect(await left(behindProxy, '203.0.113.30')).toBe(59)
  expect(await left(behindProxy, '::ffff:cb00:711e')).toBe(58)
  expect(await left(behindProxy, '0:0:0:0:0:FFFF:203.0.113.30')).toBe(57)
  expect(await left(behindProxy, '::ffff:cb00:711f')).toBe(59)
})

test('if a proxy reports no address, that proxy is metered', async () => {
  expect(await left(behindProxy, '198.51.100.1, unknown, 10.1.1.1')).toBe(59)
  expect(await left(behindProxy, '198.51.100.2, _hidden, 10.1.1.1')).toBe(58)
  expect(await left(behindProxy, '198.51.100.3, , 10.1.1.1')).toBe(57)
  expect(await left(behindProxy, '198.51.100.4, unknown, 10.1.1.2')).toBe(59)
})

test('the metered address, case by case', () => {
  const addressOf = createAddressReader(['10.0.0.0/8', '192.0.2.1', '2001:db8:ffff::/48'])
  for (const [peer, forwardedFor, expected] of [
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['192.0.2.1', '198.51.100.1', '198.51.100.1'],
    ['192.0.2.2', '198.51.100.1', '192.0.2.2'],
    ['2001:db8:ffff::5', '198.51.100.1', '198.51.100.1'],
    ['2001:db8:fffe::5', '198.51.100.1', '2001:db8:fffe:0::/64'],
    ['10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '2.2.2.2:1234', '2.2.2.2'],
    ['10.0.0.1', '2.2.2.2:1234, 10.0.0.2:80', '2.2.2.2'],
    ['10.0.0.1', '[2001:db8::1]', '2001:db8:0:0::/64'],
    ['10.0.0.1', '[2001:db8::1]:443', '2001:db8:0:0::/64'],
    ['10.0.0.1', '2.2.2.2, [2001:db8:ffff::1]:443', '2.2.2.2'],
    ['10.0.0.1', '[::ffff:198.51.100.1]:443', '198.51.100.1'],
    ['10.0.0.1', '::ffff:0102:0304', '1.2.3.4'],
    ['10.0.0.1', '::FFFF:102:304', '1.2.3.4'],
    ['10.0.0.1', '0:0:0:0:0:ffff:0102:0304', '1.2.3.4'],
    ['10.0.0.1', '0000::ffff:1.2.3.4', '1.2.3.4'],
    ['10.0.0.1', '::ffff:102:305', '1.2.3.5'],
    ['::ffff:a00:1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '198.51.100.1, ::ffff:a00:2', '198.51.100.1'],
    ['10.0.0.1', '::fffe:102:304', '0:0:0:0::/64'],
    ['10.0.0.1', '_hidden', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1, unknown, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '2.2.2.2:', '10.0.0.1'],
    ['10.0.0.1', '[2001:db8::1', '10.0.0.1'],
    ['10.0.0.1', '2.2.2.2:80:80', '10.0.0.1'],
    ['::1', undefined, '0:0:0:0::/64'],
    ['::', undefined, '0:0:0:0::/64'],
    ['2001:db8::', undefined, '2001:db8:0:0::/64'],
    ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7:8', undefined, '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', undefined, '0:2:3:4::/64'],
    ['::3:4:5:6:7:198.51.100.1', undefined, '0:3:4:5::/64'],
    ['', undefined, ''],
  ] as const) {
    expect([peer, forwardedFor, addressOf(peer, forwardedFor)]).toEqual([peer, forwardedFor, expected])
  }
})
