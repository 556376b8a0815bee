import { startSandbox } from '@petstore/sdk/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'

const shop = await startSandbox({ seed: 'my tests' })
beforeEach(() => shop.reset())
afterAll(() => shop.end())

test('an order survives a service that is down for a moment', async () => {
  await shop.fail('placeOrder', 'unavailable', { times: 1 })
  const order = await shop.client().store.orders.place({ petId: 23, quantity: 1 })
  expect(order.quantity).toBe(1)
  expect((await shop.report()).failed).toEqual([])
})
