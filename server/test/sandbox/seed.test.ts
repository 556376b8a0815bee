import { afterAll, expect, test } from 'bun:test'
import { startTestHost, type TestSandbox } from '../harness/sandbox.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const at = '2026-12-24T18:00:00.000Z'
const clock = { at, frozen: true }

/** What a client does, one request after the other. Returns what the sandbox says it received. */
async function useShop({ send, url }: TestSandbox, receiver: string): Promise<string> {
  const key = await send('POST', '/keys', { name: 'Till', plan: 'pro', preset: 'staff' })
  await send('POST', `/keys/${key.body.id}/rotate`, { graceSeconds: 0 })
  const webhook = await send('POST', '/webhooks', { url: receiver, events: ['order.*'] })
  await send('POST', `/webhooks/${webhook.body.id}/ping`)
  await send('GET', '/pets?limit=3&sort=-name')
  await send('POST', '/store/orders', { petId: 1 })
  await send('PUT', '/_sandbox/clock', { advanceSeconds: 7_200 })
  await send('GET', `/webhooks/${webhook.body.id}/deliveries`)
  await send('GET', '/events?limit=100')
  await send('PUT', '/_sandbox/faults', { rules: [{ operation: 'listPets', fault: 'unavailable', rate: 0.5 }] })
  for (let call = 0; call < 20; call++) await send('GET', '/pets')
  const { body } = await send('GET', '/_sandbox/requests')
  const secrets = JSON.stringify([key.body.secret, webhook.body.secret])
  const log = body.data.map(({ receivedAt, durationMs, connection, ...rest }: Record<string, unknown>) => rest)
  return (
    (JSON.stringify(log) + secrets)
      .replaceAll(url, '{sandbox}')
      // How long the receiver took, by the host's clock.
      .replace(/latencyMs\\":\d+/g, 'latencyMs')
      .replace(/content-length":"\d+"/g, '')
  )
}

test('the same seed gives the same shop, and the same client the same log', async () => {
  await using receiver = await startReceiver(500)
  const [one, other, third] = await Promise.all([
    host.create({ seed: 'a', clock }),
    host.create({ seed: 'a', clock }),
    host.create({ seed: 'b', clock }),
  ])
  expect(one.apiKey).toBe(other.apiKey)
  expect(one.apiKey).not.toBe(third.apiKey)
  const log = await useShop(one, receiver.url)
  expect(log).toContain('"status":503')
  expect(await useShop(other, receiver.url)).toBe(log)
  const different = await useShop(third, receiver.url)
  expect(different).not.toBe(log)

  const { body } = await one.send('POST', '/_sandbox/reset', { clock })
  expect(body.apiKey).toBe(one.apiKey)
  expect(await useShop(one, receiver.url)).toBe(log)
})

test('a sandbox that was closed goes on where it was, and never gives a secret twice', async () => {
  const [steady, closed] = await Promise.all([host.create({ seed: 'c' }), host.create({ seed: 'c' })])
  const newSecret = async ({ send }: TestSandbox) =>
    (await send('POST', '/keys', { name: 'Till', plan: 'free', preset: 'reader' })).body.secret
  const secrets = [await newSecret(closed), await newSecret(steady)]
  expect(secrets[0]).toBe(secrets[1])
  host.clock.advance(60_000)
  await steady.send('GET', '/pets', undefined, { 'X-Request-Id': 'kept-open' })
  await host.sweep()
  expect(await newSecret(closed)).toBe(await newSecret(steady))
})
