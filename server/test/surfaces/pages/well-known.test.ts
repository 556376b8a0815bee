import { afterAll, expect, test } from 'bun:test'
import { dayMs } from '../../../src/platform/lib/time.ts'
import { startService } from '../../harness/service.ts'

const plain = await startService()
const contact = 'mailto:security@example.com'
const reachable = await startService({
  env: { SECURITY_CONTACT: contact, BASE_URL: 'https://shop.example.com/api' },
})
afterAll(() => Promise.all([plain.stop(), reachable.stop()]))

test('robots.txt lets crawlers read everything but the console', async () => {
  const robots = await fetch(`${plain.url}/robots.txt`)
  expect([robots.status, robots.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await robots.text()).toBe('User-agent: *\nDisallow: /console\n')
  expect(await (await fetch(`${reachable.url}/robots.txt`)).text()).toContain('Disallow: /api/console\n')
})

test('security.txt has the fields that RFC 9116 requires, and does not expire while it is served', async () => {
  const path = '/.well-known/security.txt'
  const read = async () => {
    const file = await fetch(reachable.url + path)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const fields = (await file.text()).trimEnd().split('\n')
    return Object.fromEntries(fields.map((field) => [field.split(': ')[0], field.replace(/^.*?: /, '')]))
  }
  const expires = expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00.000Z$/)
  const before = await read()
  expect(before).toEqual({ Contact: contact, Expires: expires, Canonical: `https://shop.example.com/api${path}` })
  const days = (Date.parse(before.Expires) - reachable.clock.now()) / dayMs
  expect(days).toBeWithin(1, 365)
  reachable.clock.advance(dayMs)
  expect(Date.parse((await read()).Expires)).toBe(Date.parse(before.Expires) + dayMs)
  expect((await fetch(reachable.url + path, { method: 'HEAD' })).status).toBe(200)
})

test('without a contact there is no security.txt', async () => {
  const missing = await fetch(`${plain.url}/.well-known/security.txt`)
  expect([missing.status, await missing.json()]).toMatchObject([404, { code: 'route_not_found' }])
})
