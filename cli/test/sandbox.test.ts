import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Clock, startSandbox } from '@petstore/sdk/testing'
import { startTemporaryHost } from '../../server/src/sandbox/serve.ts'
import { root } from '../../server/test/harness/run/run-service.ts'
import type { Challenge } from '../src/sandbox/challenge.ts'
import { challenges } from '../src/sandbox/challenges.ts'
import { setUp } from '../src/sandbox/run-challenge.ts'
import { petstore } from './harness/petstore.ts'

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())
const env = { PETSTORE_SANDBOX_URL: host.url }

/** A client in one line, as a program of its challenge. */
const client = (code: string) => ['--', process.execPath, '-e', code]
const order = `fetch(process.env.PETSTORE_URL + '/store/orders', {
  method: 'POST',
  headers: { 'X-API-Key': process.env.PETSTORE_API_KEY, 'Content-Type': 'application/json' },
  body: '{"petId":23,"quantity":1,"shipDate":"2030-01-01T00:00:00Z"}',
})`

test('report shows each rule, and --require decides the exit code', async () => {
  const shop = await startSandbox({ host: host.url })
  const inShop = { env: { PETSTORE_URL: shop.url } }
  const unused = await petstore(['sandbox', 'report', '--require', '1'], inShop)
  expect(unused).toMatchObject({ code: 1, errors: '' })
  expect(unused.output).toContain('Nothing to judge yet.')

  const petstoreClient = shop.client()
  await petstoreClient.pets.profile(1)
  expect((await petstore(['sandbox', 'report', '--require', '100'], inShop)).code).toBe(0)
  await petstoreClient.pets.update(1, { name: 'Max' })
  const { code, output } = await petstore(['sandbox', 'report', '--require', '100'], inShop)
  expect(code).toBe(1)
  expect(output).toContain(
    '✗ Sends If-Match on edits and reads again after 412\n    Request 2, PATCH /pets/1, has no If-Match',
  )
  expect(output).toContain('Score: 66 %')
  expect((await petstore(['sandbox', 'report', '--require', '66'], inShop)).code).toBe(0)
  expect(JSON.parse((await petstore(['--json', 'sandbox', 'report'], inShop)).output).score).toBe(66)
})

test('report says when there is no sandbox', async () => {
  const missing = await petstore(['sandbox', 'report'], { env: { PETSTORE_URL: `${host.url}/s/none` } })
  expect([missing.code, missing.output]).toEqual([4, ''])
  expect(missing.errors).toContain('There is no sandbox at')
  const silent = await petstore(['sandbox', 'report'], { env: { PETSTORE_URL: 'http://127.0.0.1:1' } })
  expect(silent.code).toBe(7)
})

test('the example client passes every challenge', async () => {
  const words = ['sandbox', 'challenge', '--all', '--', process.execPath, join(root, 'examples/challenges/client.mjs')]
  const { code, output, errors } = await petstore(words, { env })
  expect([code, errors]).toEqual([0, ''])
  expect(output.match(/✓ passed/g)).toHaveLength(8)
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

test('a client that repeats an order without a key does not pass, and learns why', async () => {
  const careless = client(`await ${order}.catch(() => ${order})`)
  const { code, output } = await petstore(['sandbox', 'challenge', 'lost-responses', ...careless], { env })
  expect(code).toBe(1)
  expect(output).toContain('✗ not passed')
  expect(output).toContain('without an Idempotency-Key')
  expect(output).toContain('was ordered 2 times for that day, not once')
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
  expect(output).toContain('not seen: Stops calling what is deprecated')
})

test('the challenges are listed; an unknown one, and --all without a client, are rejected', async () => {
  const { code, output } = await petstore(['sandbox', 'challenge'])
  expect(code).toBe(0)
  const names = 'limits retries pages races lost-responses events webhooks deprecation'
  expect(output.match(/^[\w-]+/gm)?.join(' ')).toBe(names)
  expect((await petstore(['sandbox', 'challenge', 'chess'], { env })).code).toBe(2)
  expect((await petstore(['sandbox', 'challenge', '--all'], { env })).code).toBe(2)
})
