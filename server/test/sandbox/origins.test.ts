import { afterAll, expect, test } from 'bun:test'
import { inChromium, theBrowser } from '../harness/browser.ts'
import { failureOf } from '../harness/failure-of.ts'
import { type SandboxResponse, startTestHost } from '../harness/sandbox.ts'

/** A page of a program that runs on another port of this machine. */
const other = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response('<!doctype html><title>other</title>', { headers: { 'Content-Type': 'text/html' } }),
})
const origin = `http://127.0.0.1:${other.port}`
const closed = await startTestHost()
const open = await startTestHost({ allowedOrigins: [`${origin}/`] })
afterAll(() => Promise.all([closed.stop(), open.stop(), other.stop(true)]))

interface Sent {
  readonly url: string
  readonly method: string
  readonly mode?: 'cors' | 'no-cors'
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Sends requests from the page. What it cannot read has the status 0, and what the browser does not let it send is null. */
async function sendFromPage(requests: readonly Sent[]) {
  const context = await (await theBrowser()).newContext()
  const page = await context.newPage()
  await page.goto(origin)
  const statuses: (number | null)[] = await page.evaluate(
    (all) =>
      Promise.all(
        all.map(({ url, ...request }) =>
          fetch(url, request).then(
            ({ status }) => status,
            () => null,
          ),
        ),
      ),
    requests,
  )
  await context.close()
  return statuses
}

const json = { headers: { 'Content-Type': 'application/json' }, body: '{}' }

inChromium('a page of another port changes nothing at a host without a key', async () => {
  const { id, send } = await closed.create()
  await send('POST', '/categories', { name: 'Owls' })
  const before = (await closed.send('GET', '/sandboxes')).body
  const categories = (await send('GET', '/categories')).body
  const requests: Sent[] = [
    { url: `${closed.url}/sandboxes`, method: 'POST', mode: 'no-cors' },
    { url: `${closed.url}/s/${id}/_sandbox/reset`, method: 'POST', mode: 'no-cors' },
    { url: `${closed.url}/s/${id}/_sandbox/reset`, method: 'POST', mode: 'no-cors', body: '{}' },
    { url: `${closed.url}/s/${id}/_sandbox/reset`, method: 'POST', ...json },
    { url: `${closed.url}/s/${id}/_sandbox/faults`, method: 'PUT', headers: json.headers, body: '{"rules":[]}' },
    { url: `${closed.url}/sandboxes/${id}`, method: 'DELETE' },
    { url: `${closed.url}/sandboxes`, method: 'GET' },
  ]
  expect(await sendFromPage(requests)).toEqual([0, 0, 0, null, null, null, null])
  expect((await closed.send('GET', '/sandboxes')).body).toEqual(before)
  expect((await send('GET', '/categories')).body).toEqual(categories)
})

inChromium('a page of an allowed origin can use the host and its sandboxes', async () => {
  const { url, apiKey } = await open.create()
  const rules = { headers: json.headers, body: '{"rules":[{"fault":"unavailable"}]}' }
  const requests: Sent[] = [
    { url: `${open.url}/sandboxes`, method: 'POST', ...json },
    { url: `${url}/_sandbox/faults`, method: 'PUT', ...rules },
    { url: `${url}/_sandbox/requests`, method: 'GET' },
    { url: `${url}/_sandbox/clock`, method: 'PUT', headers: json.headers, body: '{"at":"soon"}' },
    { url: `${url}/pets/1/profile`, method: 'GET', headers: { 'X-API-Key': apiKey, Prefer: 'code=404' } },
    { url: `${url}/_sandbox/reset`, method: 'POST', mode: 'no-cors' },
  ]
  const statuses = await sendFromPage(requests)
  expect(statuses).toEqual([201, 200, 200, 400, 404, 0])
  expect((await open.send('GET', '/sandboxes')).body.data).toHaveLength(3)
})

test('only the origins that the host allows are told so', async () => {
  const namesIn = ({ headers }: SandboxResponse) => headers.get('access-control-allow-origin')
  const from = (sender: string) => open.send('GET', '/sandboxes', undefined, { Origin: sender })
  expect(namesIn(await from(origin))).toBe(origin)
  expect([namesIn(await from('https://evil.example')), (await from('https://evil.example')).status]).toEqual([
    null,
    403,
  ])
  expect(namesIn(await closed.send('GET', '/sandboxes', undefined, { Origin: closed.url }))).toBeNull()
  expect((await open.send('GET', '/sandboxes')).headers.get('vary')).toContain('Origin')
  expect(String(await failureOf(startTestHost({ allowedOrigins: ['localhost'] })))).toContain('is not an origin')
})
