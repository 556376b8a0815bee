import { afterAll, expect, test } from 'bun:test'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { inChromium, open } from '../harness/browser.ts'
import { startTestHost } from '../harness/sandbox.ts'

// Browsers at a host that other machines can reach.

const hostKey = newSecret()
const host = await startTestHost({ env: { HOST: '0.0.0.0', ADMIN_API_KEY: hostKey } })
afterAll(() => host.stop())

const asBrowser = { Accept: 'text/html' }
const ofPage = { ...asBrowser, Origin: host.url }
const shop = `/s/${host.ready.id}/_sandbox`

/** Signs in as the page does. Returns what the browser then sends. */
async function signIn(path: string, key: string) {
  const { status, headers } = await host.send('POST', `${path}/sign-in`, { key }, ofPage)
  const cookie = headers.get('set-cookie') ?? ''
  return { status, cookie, as: { ...asBrowser, Cookie: cookie.split(';', 1)[0] ?? '' } }
}

test('a browser without a key is asked for it, a program is rejected as before', async () => {
  for (const path of ['/', shop, `${shop}/requests`, '/s/unknown/_sandbox']) {
    const { status, body } = await host.send('GET', path, undefined, asBrowser)
    expect([path, status]).toEqual([path, 401])
    expect(body).toContain('<h1>Sign in</h1>')
    expect((await host.send('GET', path)).body.code).toBe('missing_api_key')
  }
  expect((await host.send('POST', `${shop}/reset`, {}, asBrowser)).body.code).toBe('missing_api_key')
})

test('the cookie of the host key opens every screen, and does not contain the key', async () => {
  const { status, cookie, as } = await signIn('', hostKey)
  expect(status).toBe(204)
  expect(cookie).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  expect(cookie).not.toContain(hostKey)
  for (const path of ['/', shop, `${shop}/requests`]) {
    for (const method of ['GET', 'HEAD'])
      expect([path, (await host.send(method, path, undefined, as)).status]).toEqual([path, 200])
  }
})

test('the cookie of a sandbox opens only its own screens', async () => {
  const { cookie, as } = await signIn(shop, host.ready.apiKey)
  expect(cookie).toContain(`; Path=${shop};`)
  expect((await host.send('GET', shop, undefined, as)).status).toBe(200)
  const { id } = await host.create({}, { 'X-API-Key': hostKey })
  for (const path of ['/', '/sandboxes', `/s/${id}/_sandbox`]) {
    expect([path, (await host.send('GET', path, undefined, as)).status]).toEqual([path, 401])
  }
})

test('signing out of a sandbox ends the cookies of both keys, for its own pages only', async () => {
  const { status, headers } = await host.send('DELETE', `${shop}/sign-in`, undefined, ofPage)
  expect(status).toBe(204)
  const ended = headers.getSetCookie().map((cookie) => cookie.match(/=; (Path=\S+; Max-Age=\d+);/)?.[1])
  expect(ended).toEqual(['Path=/; Max-Age=0', `Path=${shop}; Max-Age=0`])
  const other = await host.send('DELETE', `${shop}/sign-in`, undefined, { Origin: 'http://localhost:1' })
  expect([other.status, other.headers.getSetCookie()]).toEqual([403, []])
})

test('a wrong key gives no cookie, and neither does a page of another website', async () => {
  const wrong = [
    await signIn('', newSecret()),
    await signIn('', host.ready.apiKey),
    await signIn('/s/unknown/_sandbox', host.ready.apiKey),
  ]
  for (const { status, cookie } of wrong) expect([status, cookie]).toEqual([401, ''])
  const other = { ...asBrowser, Origin: 'http://localhost:1' }
  const { status, headers } = await host.send('POST', '/sign-in', { key: hostKey }, other)
  expect([status, headers.get('set-cookie')]).toEqual([403, null])
})

test('with the cookie, only pages of the host change something', async () => {
  const { as } = await signIn('', hostKey)
  for (const origin of [{}, { Origin: 'null' }, { Origin: 'http://localhost:1' }, { Origin: 'https://evil.example' }]) {
    for (const [method, path] of [
      ['POST', '/sandboxes'],
      ['POST', `${shop}/reset`],
      ['PUT', `${shop}/faults`],
      ['DELETE', `/sandboxes/${host.ready.id}`],
    ] as const) {
      const { status, body } = await host.send(method, path, {}, { ...as, ...origin })
      expect([path, status, body.code]).toEqual([path, 403, 'origin_not_allowed'])
    }
  }
  expect((await host.send('POST', '/sandboxes', {}, { ...as, Origin: host.url })).status).toBe(201)
})

test('a cookie ends after twelve hours, and one that was changed is not accepted', async () => {
  const { as } = await signIn('', hostKey)
  const longer = as.Cookie.replace(/=\d+/, (until) => `=${Number(until.slice(1)) + 1}`)
  expect((await host.send('GET', '/', undefined, { ...asBrowser, Cookie: longer })).status).toBe(401)
  host.clock.advance(12 * 3_600_000 - 1)
  expect((await host.send('GET', '/', undefined, as)).status).toBe(200)
  host.clock.advance(1)
  expect((await host.send('GET', '/', undefined, as)).status).toBe(401)
})

inChromium('a tester signs in by keyboard, creates a sandbox, and signs out', async () => {
  const { page, close } = await open(`${host.url}/`)
  await page.getByLabel('Key').fill(newSecret())
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('key').waitFor()
  await page.getByLabel('Key').fill(hostKey)
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  const count = () => page.locator('.sandboxes > li').count()
  const before = await count()
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'New sandbox' }).click()])
  expect(await count()).toBe(before + 1)
  await page.getByRole('link', { name: 'Requests' }).first().click()
  await page.getByRole('heading', { name: 'Requests' }).waitFor()
  await page.goto(`${host.url}/`)
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Sign out' }).click()])
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await close()
})

inChromium('a tester signs in with the key of a sandbox, and signs out there', async () => {
  const { page, close } = await open(host.url + shop)
  await page.getByLabel('Key').fill(host.ready.apiKey)
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Sign out' }).click()])
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await close()
})
