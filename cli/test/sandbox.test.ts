import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, startSandbox } from '@petstore/sdk/testing'
import { startTemporaryHost } from '../../server/src/sandbox/serve.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import { debianProgram } from '../../server/test/harness/run/debian-program.ts'
import { root } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { startService } from '../../server/test/harness/service.ts'
import type { Challenge } from '../src/sandbox/challenge.ts'
import { challenges } from '../src/sandbox/challenges.ts'
import { waitForResponses } from '../src/sandbox/report.ts'
import { setUp } from '../src/sandbox/run-challenge.ts'
import { petstore } from './harness/petstore.ts'

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())
const env = { PETSTORE_SANDBOX_URL: host.url }

/** A one-line client, as the program that a challenge runs. */
const client = (code: string) => ['--', process.execPath, '-e', code]

test('report shows each rule, and exits with 1 if a required one failed', async () => {
  const shop = await startSandbox({ host: host.url })
  const inShop = { env: { PETSTORE_URL: shop.url } }
  const report = (...words: string[]) => petstore(['sandbox', 'report', ...words], inShop)
  const unused = await report()
  expect(unused).toMatchObject({ code: 0, errors: '' })
  expect(unused.output).toContain('Nothing failed. Passed: 0. Not seen: 14. 0 requests.')
  expect((await report('--seen', 'repeats,credentials')).code).toBe(1)

  const petstoreClient = shop.client()
  await petstoreClient.pets.profile(1)
  expect((await report('--seen', 'credentials')).code).toBe(0)
  await petstoreClient.pets.update(1, { name: 'Max' })
  const { code, output } = await report('--require', 'should')
  expect(code).toBe(1)
  expect(output).toContain(
    '✗ conditions: Sends If-Match on edits and reads again after 412 (should)\n    Request 2, PATCH /pets/1, has no If-Match',
  )
  expect(output).toContain('Failed: 1 should.')
  expect([(await report()).code, (await report('--require', 'must')).code]).toEqual([0, 0])
  expect(JSON.parse((await petstore(['--json', 'sandbox', 'report'], inShop)).output).failed).toEqual(['conditions'])
  await petstoreClient.request('GET', `/categories?api_key=${shop.apiKey}`).catch(() => undefined)
  expect((await report()).code).toBe(1)
  const misused = await report('--seen', 'repeats,luck')
  expect([misused.code, misused.errors]).toEqual([
    2,
    expect.stringContaining('There is no rule luck. The rules are retry-after'),
  ])
  expect(misused.output).toContain('Failed: 1 must, 1 should.')
})

const xmllint = debianProgram('xmllint', ['libxml2-utils'])

test.skipIf(!xmllint)('report --junit writes a test case for each rule', async () => {
  const shop = await startSandbox({ host: host.url })
  await shop.client().pets.update(1, { name: 'Max' })
  using directory = newDirectory()
  const file = join(directory.path, 'report.xml')
  const words = ['sandbox', 'report', '--junit', file, '--require', 'should']
  expect((await petstore(words, { env: { PETSTORE_URL: shop.url } })).code).toBe(1)
  const xml = readFileSync(file, 'utf8')
  expect(xml).toContain('<testsuites tests="14" failures="1"')
  expect(Bun.spawnSync([xmllint ?? '', '--noout', file]).exitCode).toBe(0)
})

test('report waits for requests that are still open', async () => {
  const shop = await startSandbox({ host: host.url })
  await shop.fail('getPetProfile', 'slow', { latencyMs: 5_000 })
  const waiting = shop.client().pets.profile(1)
  await eventually(async () => (await shop.report()).requests.open === 1)
  const { code, output } = await petstore(['sandbox', 'report', '--seen', 'credentials'], {
    env: { PETSTORE_URL: shop.url },
  })
  expect([code, output.includes('still open')]).toEqual([0, false])
  await waiting
})

test('report waits for at most 30 seconds, also for what may still be sent again', async () => {
  let now = 0
  const wait = (requests: { open: number; undecided: number }, untilMs = Number.POSITIVE_INFINITY) =>
    waitForResponses(
      async () => ({
        failed: [],
        rules: [],
        requests: { seen: 1, shown: 1, ...(now >= untilMs ? { open: 0, undecided: 0 } : requests) },
      }),
      { now: () => now, sleep: async (ms) => (now += ms) },
    )
  for (const requests of [
    { open: 1, undecided: 0 },
    { open: 0, undecided: 1 },
  ]) {
    now = 0
    expect((await wait(requests)).requests).toMatchObject(requests)
    expect(now).toBeWithin(30_000, 31_000)
    now = 0
    await wait(requests, 5_000)
    expect(now).toBeWithin(5_000, 6_000)
  }
})

test('snapshot keeps a sandbox as it is, and restore goes back', async () => {
  const shop = await startSandbox({ host: host.url })
  const inShop = { env: { PETSTORE_URL: shop.url } }
  expect(await petstore(['sandbox', 'snapshot'], inShop)).toMatchObject({ code: 0, output: '1\n' })
  await shop.client().pets.profile(1)
  expect(await petstore(['sandbox', 'restore', '1'], inShop)).toMatchObject({ code: 0, output: '', errors: '' })
  expect(await shop.requests()).toEqual([])
  expect((await petstore(['sandbox', 'snapshot', '--list'], inShop)).output).toMatch(/^1 {2}\d{4}-.*Z\n$/)
  expect((await petstore(['sandbox', 'restore', '2'], inShop)).errors).toContain('no snapshot with this id')
})

test('report says when there is no sandbox', async () => {
  const missing = await petstore(['sandbox', 'report'], { env: { PETSTORE_URL: `${host.url}/s/none` } })
  expect([missing.code, missing.output]).toEqual([4, ''])
  expect(missing.errors).toContain('There is no sandbox at')
  const silent = await petstore(['sandbox', 'report'], { env: { PETSTORE_URL: 'http://127.0.0.1:1' } })
  expect(silent.code).toBe(7)
})

test.each([
  ['a page', 200, '<h1>Welcome</h1>'],
  ['a proxy whose service is down', 502, '<h1>Bad Gateway</h1>'],
  ['another API', 404, '{"error":"not found"}'],
])('what %s says is never taken for a sandbox', async (_, status, body) => {
  using other = Bun.serve({ port: 0, fetch: () => new Response(body, { status }) })
  for (const words of [['report'], ['snapshot'], ['snapshot', '--list'], ['restore', '1']]) {
    const { code, output, errors } = await petstore(['sandbox', ...words], { env: { PETSTORE_URL: other.url.origin } })
    expect([words, code, output]).toEqual([words, 7, ''])
    expect(errors).toContain('is not a sandbox')
  }
})

test('a service that is no sandbox says so for every command', async () => {
  const service = await startService()
  for (const words of [['report'], ['snapshot'], ['restore', '1']]) {
    const { code, errors } = await petstore(['sandbox', ...words], { env: { PETSTORE_URL: service.url } })
    expect([words, code, errors]).toEqual([words, 4, expect.stringContaining('There is no sandbox at')])
  }
  await service.stop()
})

test('without PETSTORE_SANDBOX_URL a challenge has its own host', async () => {
  const words = [
    'sandbox',
    'challenge',
    'deprecation',
    '--',
    process.execPath,
    join(root, 'examples/challenges/client.mjs'),
  ]
  const { code, output, errors } = await petstore(words)
  expect([code, errors]).toEqual([0, ''])
  expect(output).toContain('✓ passed')
})

test('when a client starts, the clock of the shop already stands just before the end of a minute', async () => {
  const shop = await startSandbox({ host: host.url })
  const limits = challenges.find(({ secondsLeft }) => secondsLeft !== undefined)
  const setTime = shop.setTime.bind(shop)
  let clock: Clock | undefined
  shop.setTime = async (at) => {
    clock = await setTime(at)
    return clock
  }
  await setUp(shop, limits as Challenge)
  expect(clock).toEqual({ at: expect.stringMatching(/:58\.000Z$/), frozen: true })
})

test('a challenge says what it checks, and checks only that', async () => {
  // GET /pets/1 is deprecated.
  const deprecated = `fetch(process.env.PETSTORE_URL + '/pets/1', { headers: { 'X-API-Key': process.env.PETSTORE_API_KEY } })`
  const rename = `
    const headers = { 'X-API-Key': process.env.PETSTORE_API_KEY, 'Content-Type': 'application/json' }
    for (let status = 412; status === 412; ) {
      await ${deprecated}
      const etag = (await ${deprecated}).headers.get('ETag')
      const edit = { method: 'PATCH', headers: { ...headers, 'If-Match': etag }, body: '{"name":"Rex the Second"}' }
      status = (await fetch(process.env.PETSTORE_URL + '/pets/1', edit)).status
    }`
  const { code, output } = await petstore(['sandbox', 'challenge', 'races', ...client(rename)], { env })
  expect(output).toContain(
    'Checked:\n  - Sends If-Match on edits and reads again after 412\n  - Pet 1 is called "Rex the Second"\n✓ passed',
  )
  expect(code).toBe(0)
})

test('a client that does nothing, fails, hangs or cannot be started does not pass', async () => {
  const run = async (...words: string[]) => {
    const { code, output } = await petstore(['--json', 'sandbox', 'challenge', 'pages', ...words], { env })
    return [code, JSON.parse(output)[0].faults[0]]
  }
  expect(await run(...client(''))).toEqual([1, expect.stringContaining('not seen: Follows Link')])
  expect(await run(...client('process.exit(3)'))).toEqual([1, 'The client ended with exit code 3.'])
  expect(await run('--timeout', '1', ...client('setInterval(() => {}, 1000)'))).toEqual([
    1,
    'The client did not end within 1 s.',
  ])
  expect(await run('--', '/nonexistent')).toEqual([1, expect.stringContaining('The client cannot be started')])
})

test('without a client it waits for one, and says where the shop is', async () => {
  const { code, output, errors } = await petstore(['sandbox', 'challenge', 'deprecation', '--timeout', '1'], { env })
  expect(code).toBe(1)
  expect(errors).toMatch(/PETSTORE_URL=http:.*\n {2}PETSTORE_API_KEY=ps_/)
  expect(output).toContain('not seen: Stops calling what a response called deprecated')
})

test('the challenges are listed; an unknown one, and --all without a client, are rejected', async () => {
  const { code, output } = await petstore(['sandbox', 'challenge'])
  expect(code).toBe(0)
  const names = 'limits retries pages races lost-responses events webhooks deprecation'
  expect(output.match(/^[\w-]+/gm)?.join(' ')).toBe(names)
  expect((await petstore(['sandbox', 'challenge', 'chess'], { env })).code).toBe(2)
  expect((await petstore(['sandbox', 'challenge', '--all'], { env })).code).toBe(2)
})
