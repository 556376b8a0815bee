import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRedactor } from '../../src/sandbox/redact.ts'
import { startTestHost, type TestSandbox } from '../harness/sandbox.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

const host = await startTestHost()
afterAll(() => host.stop())

/** Everything that is kept or shown of what was received. */
async function everythingOf({ id, url, apiKey, send }: TestSandbox): Promise<string> {
  const paths = ['/_sandbox/requests', '/_sandbox/requests.har', '/_sandbox/deliveries']
  const shown = await Promise.all(paths.map(async (path) => (await send('GET', path)).body))
  const page = await fetch(`${url}/_sandbox/requests`, { headers: { Accept: 'text/html', 'X-API-Key': apiKey } })
  const file = readFileSync(join(host.directory, 'sandboxes', id, 'requests.jsonl'), 'utf8')
  return [JSON.stringify(shown), await page.text(), file].join('\n')
}

/** What should not be there, with the text before it. */
const findConcealed = (text: string) => text.match(/.{0,40}(?:concealed|314159)/g) ?? []

test('credentials of any service are removed from headers, addresses and bodies', async () => {
  const sandbox = await host.create()
  const { send } = sandbox
  const names = ['X-Auth-Token', 'X-Amz-Security-Token', 'X-Vault-Token', 'Api-Key', 'X-Goog-Api-Key', 'X-Session-Id']
  const headers = Object.fromEntries(names.map((name, index) => [name, `concealed-header-${index}`]))
  await send(
    'GET',
    '/pets?limit=1&token=concealed-1&access_token=concealed-2&X-Amz-Signature=concealed-3',
    undefined,
    headers,
  )
  await send('GET', '/pets?%74oken=concealed-4', undefined, {
    Referer: 'https://till.example/?session_token=concealed-5&a=kept',
  })
  await send('POST', '/pets', {
    name: 'kept Rex',
    login: {
      password: 'concealed-6 "quoted"',
      clientSecret: 'concealed-7',
      pin: 314159,
      tokens: ['concealed-8', 'concealed-9'],
      credentials: { user: 'concealed-13', keys: [{ of: 'concealed-14 } ] "quoted' }] },
      after: 'kept field',
    },
  })
  const form = 'username=kept-user&password=concealed-10&refresh_token=concealed-11'
  const common = { 'X-API-Key': sandbox.apiKey }
  await fetch(`${sandbox.url}/pets`, { method: 'POST', headers: common, body: new URLSearchParams(form) })
  const parts = new FormData()
  parts.set('user', 'kept part')
  parts.set('password', 'concealed-12')
  await fetch(`${sandbox.url}/pets`, { method: 'POST', headers: common, body: parts })
  const text = await everythingOf(sandbox)
  expect(findConcealed(text)).toEqual([])
  for (const kept of ['kept Rex', 'kept-user', 'kept part', 'a=kept', 'kept field', 'limit=1&token=…'])
    expect(text).toContain(kept)
})

test('credentials in the address of a webhook are removed', async () => {
  const sandbox = await host.create()
  await using receiver = await startReceiver()
  const { port } = new URL(receiver.url)
  for (const url of [
    `http://127.0.0.1:${port}/hook?token=concealed-1&shop=kept`,
    `http://till:concealed-2@127.0.0.1:${port}/hook`,
    `http://127.0.0.1:${port}/services/T0KEPT/concealed3concealed3concealed3`,
  ]) {
    const { body } = await sandbox.send('POST', '/webhooks', { url, events: ['*'] })
    if (body.id !== undefined) await sandbox.send('POST', '/_sandbox/forge', { webhookId: body.id })
  }
  expect(receiver.received.length).toBeGreaterThan(0)
  const text = await everythingOf(sandbox)
  expect(findConcealed(text)).toEqual([])
  for (const kept of ['shop=kept', '/services/T0KEPT/…']) expect(text).toContain(kept)
})

test('a sandbox can have more names of secrets, also after a reset', async () => {
  const sandbox = await host.create({ redact: ['Till-Number'] })
  const send = () =>
    sandbox.send('POST', '/pets?till_number=concealed', { tillNumber: 'concealed' }, { 'Till-Number': 'concealed' })
  await send()
  expect(findConcealed(await everythingOf(sandbox))).toEqual([])
  await sandbox.send('POST', '/_sandbox/reset', {})
  await send()
  expect(findConcealed(await everythingOf(sandbox))).toEqual([])
})

test('what is not a secret stays as it was sent', () => {
  const { target, headers, body } = createRedactor()
  const path = '/pets?cursor=abc&sort=-id&q=tokenring&keywords=a'
  expect(target(path)).toBe(path)
  const kept = {
    'idempotency-key': 'k-1',
    'if-match': '"abc"',
    'x-request-id': 'r',
    'content-type': 'application/json',
  }
  expect(headers(kept)).toEqual(kept)
  const text =
    '{ "name" : "password", "note": "token=none of them", "designs": [1, 2], "url": "https://a.example/pets/7" }'
  expect(body(text, 'application/json')).toBe(text)
})

test('no body takes long to clean', () => {
  const { body } = createRedactor()
  for (const piece of ['\\"', '"', '"a":', '[', '?a=', 'https://', 'name="a"\r\n'])
    for (const type of ['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'])
      expect(body(piece.repeat(100_000), type)).toBeString()
})

test('what is sent to be slow to read is read in a moment', () => {
  const redact = createRedactor()
  const many = (text: string) => text.repeat(60_000)
  // Each took minutes or hours while parts of it could begin anywhere.
  for (const text of [many('name='), many('name=a\n'), many('name="'), many('\r\n')])
    expect(redact.body(text, 'multipart/form-data').length).toBeGreaterThan(0)
  for (const text of [many(';'), many(';a'), many('&'), many('?')]) {
    expect(redact.target(`/pets?${text}`)).toBe(`/pets?${text}`)
    expect(redact.headers({ referer: `http://${text}` })).toEqual({ referer: `http://${text}` })
    expect(redact.body(text, 'application/x-www-form-urlencoded')).toBe(text)
  }
  const json = `{"a":"http://${many(';')}"}`
  expect(redact.body(json, 'application/json')).toBe(json)
})

test('secret parts of a form are cut, whatever else their heads say', () => {
  const redact = createRedactor()
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\nContent-Type: text/plain; name="a.txt"\r\n\r\n${value}\r\n`
  const form = (value: string) => `${part('password', value)}${part('name', 'Rex')}--x--\r\n`
  expect(redact.body(form('concealed'), 'multipart/form-data; boundary=x')).toBe(form('…'))
  expect(redact.target('/pets?x;key=concealed&a=kept')).toBe('/pets?x;key=…&a=kept')
})
