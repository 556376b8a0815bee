import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox } from '../../sdk/src/testing/index.ts'
import { startTemporaryHost } from '../../server/src/sandbox/serve.ts'
import { freePort } from '../../server/test/harness/run/free-port.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { petstore } from './harness/petstore.ts'

// petstore judge: what the client gets, the exit codes, recordings, and what is refused.

const scratch = newDirectory()
const at = (name: string) => join(scratch.path, name)
let made = 0
const api = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/orders': { POST: () => Response.json({ id: ++made }, { status: 201 }) },
    '/big': {
      GET: () => new Response(new Uint8Array(bigBytes)),
      async PUT(request) {
        let size = 0
        for await (const chunk of request.body ?? []) size += chunk.length
        return new Response(String(size))
      },
    },
  },
  fetch: () => Response.json({ id: 1 }),
  maxRequestBodySize: 1e9,
})
const bigBytes = 100_000_000
afterAll(async () => {
  await api.stop(true)
  scratch.remove()
})

writeFileSync(
  at('api.yaml'),
  `variables: { SHOP_URL: "{url}/", SHOP_HOST: "{host}" }
limits: { statuses: [429], scope: client }
repeats: { header: idempotency-key }
sends: { limited: { status: 429, headers: { retry-after: 30 }, body: wait } }
`,
)
const known = ['--profile', at('api.yaml')]
const judge = (code: string, ...options: string[]) =>
  petstore(['judge', '--upstream', api.url.href, ...options, '--', process.execPath, '-e', code])

/** A client that sends a lost order again, with the same key or without one. */
const orderTwice = (headers: object) => `
  const order = () => fetch(process.env.JUDGE_URL + '/orders', { method: 'POST', body: '{"item":1}', headers: ${JSON.stringify(headers)} })
  await order().catch(order)`

test('a client that keeps the rules passes, and gets the address in the variables of the API', async () => {
  const { code, output, errors } = await judge(
    `${orderTwice({ 'Idempotency-Key': 'a' })}
     const { JUDGE_URL, SHOP_URL, SHOP_HOST } = process.env
     if (SHOP_URL !== JUDGE_URL + '/' || JUDGE_URL !== 'http://' + SHOP_HOST) process.exit(9)`,
    ...known,
    ...['--only', 'lost', '--seed', 'one', '--seen', 'repeats'],
  )
  expect([code, errors]).toEqual([0, 'Faults: lost 1 (seed one).\n'])
  expect(output).toContain('✓ repeats')
  expect(output).toContain('Nothing failed. Passed: 1.')
})

test('one that breaks a must rule, fails, or sends nothing fails', async () => {
  made = 0
  const broken = await judge(orderTwice({}), ...known, '--only', 'lost')
  expect([broken.code, made]).toEqual([1, 2])
  expect(broken.output).toContain('request 2 sent it again without an Idempotency-Key: it may be done more than once.')
  const failing = await judge('await fetch(process.env.JUDGE_URL); process.exit(3)', '--only', 'lost')
  expect([failing.code, failing.errors]).toEqual([1, expect.stringContaining('The client ended with exit code 3.')])
  const silent = await judge('0')
  expect([silent.code, silent.errors]).toEqual([1, expect.stringContaining('sent nothing to JUDGE_URL')])
})

test('of an API of which nothing is known, only what holds for all is judged, and no rejection is made up', async () => {
  const { code, output } = await judge(
    `for (let tries = 0; tries < 20; tries++) await fetch(process.env.JUDGE_URL + '/orders', { method: 'POST', body: '{}' }).catch(() => {})`,
    '--json',
  )
  const { rules } = JSON.parse(output)
  const applicable = rules.filter(({ verdict }: { verdict: string }) => verdict !== 'not_applicable')
  expect(applicable.map(({ rule }: { rule: string }) => rule)).toEqual(['retry-after', 'back-off'])
  expect(code).toBe(0)
})

test('a recording gives the same verdicts again, and has bodies only if asked for', async () => {
  const client = `${orderTwice({})}
    for (const path of ['/a', '/b']) {
      const read = () => fetch(process.env.JUDGE_URL + path)
      if ((await read()).status === 429) await read()
    }`
  const options = [...known, '--only', 'lost,limited', '--seed', 'recorded', '--json']
  const live = await judge(client, '--har', at('live.har'), ...options)
  const replayed = await petstore(['judge', '--har', at('live.har'), ...known, '--json'])
  expect(JSON.parse(live.output).failed).toEqual(['retry-after', 'repeats'])
  expect(JSON.parse(replayed.output)).toEqual(JSON.parse(live.output))
  expect([live.code, replayed.code]).toEqual([1, 1])
  expect(readFileSync(at('live.har'), 'utf8')).not.toContain('item')
  expect(readFileSync(at('live.har'), 'utf8')).toContain('"bodySize": 10')
  await judge(client, '--har', at('bodies.har'), '--bodies', ...options)
  expect(readFileSync(at('bodies.har'), 'utf8')).toContain('{\\"item\\":1}')
  expect(JSON.parse((await petstore(['judge', '--har', at('bodies.har'), ...known, '--json'])).output).failed).toEqual([
    'retry-after',
    'repeats',
  ])
})

test('of a recording of a sandbox, each key is a client', async () => {
  const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
  try {
    const shop = await startSandbox({ host: host.url })
    const admin = shop.client()
    const limits = { perMinute: 1, perDay: 100 }
    const newKey = async () =>
      (await admin.keys.create({ name: 'Busy', plan: 'enterprise', preset: 'client', limits })).secret
    const [one, other] = [await newKey(), await newKey()]
    const read = (key: string) => fetch(`${shop.url}/categories`, { headers: { 'X-API-Key': key } })
    // At the beginning of a minute, so that all are in one.
    await shop.setTime(new Date(Math.ceil(Date.now() / 60_000) * 60_000))
    const statuses = []
    for (const key of [one, other, one, other]) statuses.push((await read(key)).status)
    expect(statuses).toEqual([200, 200, 429, 429])
    const har = at('sandbox.har')
    const recording = await fetch(`${shop.url}/_sandbox/requests.har`, { headers: { 'X-API-Key': shop.apiKey } })
    const { log } = JSON.parse(await recording.text())
    // Not on its way when the other was rejected.
    const last = log.entries.at(-1)
    last.startedDateTime = new Date(Date.parse(last.startedDateTime) + 2_000).toISOString()
    writeFileSync(har, JSON.stringify({ log }))
    const judged = await petstore(['judge', '--har', har, '--profile', 'petstore', '--json'])
    expect([judged.code, JSON.parse(judged.output).failed]).toEqual([0, []])
  } finally {
    await host.stop()
  }
})

test('a recording of another program is judged too', async () => {
  const entry = (second: number, method: string, status: number, headers: object[] = []) => ({
    startedDateTime: `2026-11-19T10:00:0${second}.000+01:00`,
    time: 5,
    request: { method, url: 'https://api.example.com/orders?x=1', headers: [{ name: 'X-Key', value: 'k' }] },
    response: { status, headers, content: {} },
  })
  const retryAfter = [{ name: 'Retry-After', value: '5' }]
  const entries = [entry(0, 'GET', 429, retryAfter), entry(2, 'GET', 200), entry(3, 'POST', 0), entry(4, 'POST', 201)]
  writeFileSync(at('other.har'), JSON.stringify({ log: { version: '1.2', entries } }))
  const { code, output } = await petstore(['judge', '--har', at('other.har'), ...known, '--json'])
  expect([code, JSON.parse(output).failed]).toEqual([1, ['retry-after', 'repeats']])
  for (const text of ['{}', '{"log":{"entries":[{"startedDateTime":"yesterday"}]}}', 'no JSON']) {
    writeFileSync(at('wrong.har'), text)
    expect((await petstore(['judge', '--har', at('wrong.har')])).code).toBe(2)
  }
})

const post = (second: number, response: object, more: object = {}) => ({
  startedDateTime: `2026-11-19T10:00:0${second}.000Z`,
  time: 5,
  request: { method: 'POST', url: 'https://a.example/orders', headers: [], ...more },
  response: { status: 201, headers: [], content: {}, ...response },
})
const lost = { status: 0 }
const busy = { status: 500, content: { text: btoa('{"code":"busy"}'), encoding: 'base64' } }
test.each([
  ['the same change at another host', [post(0, lost), post(1, {}, { url: 'https://b.example/orders' })]],
  ['an error whose body is in base64', [post(0, busy), post(1, {})]],
  ['another form', [1, 2].map((n) => post(n, n === 1 ? lost : {}, form(n)))],
  ['a request that was never sent', [{ ...post(0, lost), _error: 'net::ERR_CONNECTION_REFUSED' }, post(1, {})]],
])('a recording of another program accuses no one of %s', async (_, entries) => {
  writeFileSync(
    at('codes.yaml'),
    'errors: { codeField: code }\nrepeats: { header: idempotency-key, nothingDone: { codes: [busy] } }',
  )
  await expectNoRepeat(entries)
})
test('a recording of another program may have the token of a change in its body', async () => {
  const entries = [lost, {}].map((response, second) =>
    post(second, response, { postData: { mimeType: 'application/json', text: '{"item":1,"token":"t1"}' } }),
  )
  writeFileSync(at('codes.yaml'), 'repeats: { field: token }')
  await expectNoRepeat(entries)
})
async function expectNoRepeat(entries: readonly object[]) {
  writeFileSync(at('innocent.har'), JSON.stringify({ log: { version: '1.2', entries } }))
  const words = ['judge', '--har', at('innocent.har'), '--profile', at('codes.yaml'), '--json']
  const { rules } = JSON.parse((await petstore(words)).output)
  const [found] = rules.filter(({ rule }: { rule: string }) => rule === 'repeats')
  const explanations = found.violations.map(({ explanation }: { explanation: string }) => explanation)
  expect(explanations.filter((text: string) => text.includes('sent it again'))).toEqual([])
}
function form(item: number) {
  const params = [{ name: 'item', value: String(item) }]
  return { postData: { mimeType: 'application/x-www-form-urlencoded', params } }
}

test.each([
  ['an upstream elsewhere', ['--upstream', 'https://api.example.com', '--', 'true'], 2, '--allow-effects'],
  ['an address that is none', ['--upstream', 'ftp://127.0.0.1', '--', 'true'], 2, 'is not an HTTP address'],
  ['no client', ['--upstream', 'http://127.0.0.1:1'], 2, 'the command of the client is missing'],
  ['neither upstream nor recording', [], 2, '--upstream is missing'],
  ['an unknown profile', ['--upstream', 'http://127.0.0.1:1', '--profile', 'nothing', '--', 'true'], 2, 'dynamodb'],
  [
    'an unknown fault',
    ['--upstream', 'http://127.0.0.1:1', '--only', 'rain', '--', 'true'],
    2,
    'The faults are before',
  ],
  [
    'a document that is none',
    ['--upstream', 'http://127.0.0.1:1', '--openapi', at('api.yaml'), '--', 'true'],
    2,
    'paths',
  ],
] as const)('%s is refused before the client runs', async (_, words, code, message) => {
  const client = words.at(-1) === 'true' ? [...words.slice(0, -1), 'touch', at('ran')] : words
  const ended = await petstore(['judge', ...client])
  expect([ended.code, ended.errors]).toEqual([code, expect.stringContaining(message)])
  expect(existsSync(at('ran'))).toBe(false)
})

test('without a listening upstream, the client does not run', async () => {
  const upstream = `http://127.0.0.1:${await freePort()}`
  const { code, errors } = await petstore(['judge', '--upstream', upstream, '--', 'touch', at('ran')])
  expect([code, errors]).toEqual([7, expect.stringContaining('Nothing listens at 127.0.0.1:')])
  expect(existsSync(at('ran'))).toBe(false)
})

test('this service is a preset: its operations have their names, and our SDK keeps its rules', async () => {
  const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
  try {
    const shop = await startSandbox({ host: host.url })
    const words = ['judge', '--upstream', shop.url, '--profile', 'petstore', '--only', 'lost', '--har', at('shop.har')]
    const sdk = JSON.stringify(join(import.meta.dir, '../../sdk/src/index.ts'))
    const code = `const { PetStore } = await import(${sdk}); await new PetStore().store.orders.place({ petId: 1 })`
    const ended = await petstore([...words, '--json', '--', process.execPath, '-e', code], {
      env: { PETSTORE_API_KEY: shop.apiKey },
    })
    expect([ended.code, ended.errors]).toEqual([0, expect.stringContaining('Faults: lost 1')])
    const { rules } = JSON.parse(ended.output)
    expect(rules.find(({ rule }: { rule: string }) => rule === 'repeats')?.verdict).toBe('passed')
    expect(readFileSync(at('shop.har'), 'utf8')).toContain('"_operation": "placeOrder"')
    expect(readFileSync(at('shop.har'), 'utf8')).not.toContain(shop.apiKey)
  } finally {
    await host.stop()
  }
})

test('the plan says what will be done, and the same seed does the same', async () => {
  const plan = (...words: string[]) => petstore(['judge', 'plan', ...known, '--json', ...words])
  const one = await plan('--seed', 'one', 'POST /orders', 'GET /items')
  expect([one.code, one.output]).toEqual([0, (await plan('--seed', 'one', 'POST /orders', 'GET /items')).output])
  const [orders, items] = JSON.parse(one.output)
  expect(orders.faults.toSorted()).toEqual(['before', 'cut', 'limited', 'lost', 'slow'])
  expect(items.faults.toSorted()).toEqual(['before', 'cut', 'limited'])
  const orders9 = new Set<string>()
  for (const seed of '123456789')
    orders9.add(JSON.parse((await plan('--seed', seed, 'POST /orders')).output)[0].faults[0])
  expect(orders9.size).toBeGreaterThan(1)
  expect((await plan('--seed', 'one')).code).toBe(2)
})

test('the plan is for the operations of the description, wherever the profile says it is', async () => {
  const paths = { '/orders': { post: { operationId: 'placeOrder' }, get: { operationId: 'listOrders' } } }
  using serving = Bun.serve({ port: 0, fetch: () => Response.json({ paths }) })
  writeFileSync(at('elsewhere.yaml'), `description: ${serving.url}api.json\nrepeats: { header: idempotency-key }`)
  writeFileSync(at('served.yaml'), 'description: /api.json\nrepeats: { header: idempotency-key }')
  const plan = (...words: string[]) => petstore(['judge', 'plan', '--json', '--seed', 'one', ...words])
  for (const words of [
    ['--profile', at('elsewhere.yaml')],
    ['--profile', at('served.yaml'), '--upstream', serving.url.href],
    ['--profile', at('elsewhere.yaml'), 'placeOrder', 'listOrders'],
  ]) {
    const rows: { operation: string; faults: string[] }[] = JSON.parse((await plan(...words)).output)
    // A response to a GET is not lost: it may be sent again.
    const losing = Object.fromEntries(rows.map(({ operation, faults }) => [operation, faults.includes('lost')]))
    expect(losing).toEqual({ placeOrder: true, listOrders: false })
  }
})

test('with --json, what the client writes does not get into the report', async () => {
  const client = ['--', process.execPath, '-e', 'console.log("noise"); await fetch(process.env.JUDGE_URL)']
  const words = ['judge', '--upstream', api.url.href, '--only', 'lost', '--json', ...client]
  const { code, output, errors } = await petstore(words, { asProcess: true })
  expect([code, JSON.parse(output).requests.seen]).toEqual([0, 1])
  expect(errors).toContain('noise')
})

// It takes seconds on a busy machine.
test('bodies of 100 MB go through with less than 64 MB of memory', async () => {
  const client = `
    const { readFileSync } = await import('node:fs')
    const peakMb = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/' + process.ppid + '/status', 'utf8'))[1]) / 1024
    const url = process.env.JUDGE_URL
    await fetch(url + '/orders', { method: 'POST', body: '{}' }).catch(() => {})
    const before = peakMb()
    let size = 0
    for await (const chunk of (await fetch(url + '/big')).body) size += chunk.length
    const chunk = new Uint8Array(65536)
    let left = ${bigBytes}
    const body = new ReadableStream({ type: 'bytes', pull(controller) {
      if (left <= 0) return controller.close()
      controller.enqueue(chunk.slice(0, Math.min(left, 65536)))
      left -= 65536
    } })
    const sent = await (await fetch(url + '/big', { method: 'PUT', body, duplex: 'half' })).text()
    console.error(JSON.stringify({ size, sent: Number(sent), grownMb: peakMb() - before }))`
  const words = ['judge', '--upstream', api.url.href, '--only', 'slow', '--', process.execPath, '-e', client]
  const { errors } = await petstore(words, { asProcess: true })
  const { size, sent, grownMb } = JSON.parse(errors.split('\n').find((line) => line.startsWith('{')) ?? '{}')
  expect([size, sent]).toEqual([bigBytes, bigBytes])
  expect(grownMb).toBeLessThan(64)
}, 60_000)
