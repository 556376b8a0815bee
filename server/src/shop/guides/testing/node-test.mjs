import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { startSandbox } from '@petstore/sdk/testing'

const shop = await startSandbox({ seed: 'my tests' })
beforeEach(() => shop.reset())
after(() => shop.end())

test('an order whose response is lost takes effect once', async () => {
  await shop.fail('placeOrder', 'cut_after', { times: 1 })
  const order = await shop.client().store.orders.place({ petId: 23, quantity: 1 })
  const sent = (await shop.requests()).filter(({ operationId }) => operationId === 'placeOrder')
  assert.deepEqual([order.quantity, sent.length], [1, 2])
  assert.deepEqual((await shop.report()).failed, [])
})

test('a key that has expired is rejected', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const guest = { name: 'Guest', plan: 'free', preset: 'reader', expiresAt }
  const { secret } = await shop.client().keys.create(guest)
  await shop.advance('1 day')
  const visitor = shop.client({ apiKey: secret })
  await assert.rejects(visitor.pets.profile(1), { code: 'invalid_api_key' })
})
