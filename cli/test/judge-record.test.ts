import { expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createMask } from '../src/judge/mask-address.ts'
import { sendJson, startApi, startJudged } from './harness/judged-api.ts'

// What petstore judge records of the requests, and what it takes for one call.

test('the recording has no credential, no body, and no secret of an address', async () => {
  const api = await startApi(sendJson)
  const { url, recorder } = await startJudged(api.url)
  const secret = 'sk_live_secret'
  const send = (key: string) =>
    fetch(`${url}/orders?api_key=${secret}&page=2`, {
      method: 'POST',
      body: JSON.stringify({ password: secret }),
      headers: {
        'X-Api-Key': key,
        Authorization: secret,
        Cookie: secret,
        'X-Other': secret,
        'Idempotency-Key': 'call-1',
      },
    })
  await send(secret)
  await send('another')
  await send(secret)
  const exchanges = recorder.exchanges()
  expect(JSON.stringify(exchanges)).not.toContain(secret)
  expect(exchanges.map(({ client }) => client)).toEqual([1, 2, 1])
  expect(exchanges[0]?.headers['idempotency-key']).toBe('call-1')
  expect(exchanges[0]?.target).toMatch(/^\/orders\?api_key=…[\da-f]{8}&page=2$/)
  expect(new Set(exchanges.map(({ body, target }) => `${body} ${target}`)).size).toBe(1)
})

test('a long body passes whole, and is the same however it is divided', async () => {
  const api = await startApi((_, response, body) => response.end(String(body.length)))
  const { url, recorder } = await startJudged(api.url)
  const send = (sizes: number[]) => {
    const body = new ReadableStream({
      async start(controller) {
        for (const size of sizes) {
          controller.enqueue(new Uint8Array(size).fill(65))
          await pause(1)
        }
        controller.close()
      },
    })
    return fetch(`${url}/files`, { method: 'PUT', body }).then((response) => response.text())
  }
  expect(await send([50_000, 50_000, 100_000])).toBe('200000')
  expect(await send([1_000, 99_000, 100_000])).toBe('200000')
  expect(await send([100_000, 99_999])).toBe('199999')
  const [one, other, shorter] = recorder.exchanges()
  expect([one?.body, one?.bodyCut]).toEqual([other?.body, undefined])
  expect(shorter?.body).not.toBe(one?.body)
})

test('a client that writes the time into each try makes one call', async () => {
  const api = await startApi(sendJson)
  const { url } = await startJudged(api.url, ['before'])
  const send = (second: number) =>
    fetch(`${url}/orders`, {
      method: 'POST',
      body: JSON.stringify({ item: 1, at: `2026-11-19T10:00:0${second}Z` }),
    }).then(
      ({ status }) => status,
      () => 'lost',
    )
  const got = []
  for (let tries = 0; tries < 4; tries++) got.push(await send(tries))
  expect(got).toEqual(['lost', 'lost', 'lost', 201])
})

test.each([
  'https://user:SECRET@host/x',
  '/x?api_key=SECRET',
  '/x?sig=SECRET&y=1',
  '/callback#access_token=SECRET',
  '/x;token=SECRET/y',
  '/x?%61pi_key=SECRET',
  '/go?redirect=https%3A%2F%2Fhost%2F%3Fkey%3DSECRET',
  '/botSECRET/send',
])('what is secret in an address is masked, the same each time: %s', (address) => {
  const mask = createMask(['/bot[A-Z]+/'])
  expect(mask(address).text).not.toContain('SECRET')
  expect(mask(address)).toEqual(mask(address))
  expect(mask(address).text).not.toBe(mask(address.replace('SECRET', 'OTHER')).text)
  expect(mask('/items?page=2&sort=-id').text).toBe('/items?page=2&sort=-id')
})
