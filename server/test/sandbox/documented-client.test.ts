import { afterAll, expect, test } from 'bun:test'
import { startSandbox } from '../../../sdk/src/testing/sandbox.ts'
import { startTemporaryHost } from '../../src/sandbox/serve.ts'
import { eventually } from '../harness/eventually.ts'
import { documentedClient, isGenuine } from './documented-client.ts'
import { addFaults, createDraws, isNotKept } from './trials.ts'

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())

test('a client written from llms.txt and the Markdown pages alone keeps every rule of the report', async () => {
  const shop = await startSandbox({ host: host.url })
  const client = documentedClient({
    url: shop.url,
    apiKey: shop.apiKey,
    // Waits in the time of the shop.
    wait: (ms) => shop.advance(`${ms / 1000} seconds`),
    random: createDraws(),
  })
  await addFaults(shop)

  const pets = await Array.fromAsync(client.list('/pets?limit=10'))
  expect(new Set(pets.map(({ id }) => id)).size).toBe(pets.length)
  expect((await client.read('/categories')).response.status).toBe(200)
  expect((await client.read('/store/summary')).response.status).toBe(200)
  expect((await client.read('/store/inventory')).response.status).toBe(200)
  expect(await client.edit('/pets/1', '/pets/1/profile', { name: 'Max' })).toMatchObject({ id: 1, name: 'Max' })
  expect((await client.read('/pets/999999/profile')).body.code).toBe('pet_not_found')
  expect(await client.leaveDeprecated('/pets/2')).toMatchObject({ id: 2, stock: expect.any(Number) })

  let secret = ''
  const handled = new Set<string>()
  const { at: time } = await shop.clock()
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (!isGenuine(request.headers, await request.text(), secret, Date.parse(time))) {
        return new Response(null, { status: 401 })
      }
      handled.add(request.headers.get('webhook-id') ?? '')
      return new Response(null, { status: 204 })
    },
  })
  const webhook = await client.create('/webhooks', {
    url: `http://127.0.0.1:${receiver.port}/`,
    events: ['order.placed'],
  })
  secret = webhook.secret
  const order = await client.create('/store/orders', { petId: 23, quantity: 1 })
  await eventually(() => handled.size === 1)
  expect(await shop.forge(webhook.id)).toBe(401)
  // The response was lost and the POST repeated: one order.
  expect((await client.read(`/store/orders?petId=23`)).body.map(({ id }: { id: number }) => id)).toContain(order.id)

  let opened = 0
  const names: string[] = []
  const following = (async () => {
    for await (const { data } of client.follow('/events/stream?type=category.created', () => opened++)) {
      if (names.push(data.name) === 2) return
    }
  })()
  await eventually(() => opened === 1)
  for (const name of ['Ferrets', 'Geckos']) await client.create('/categories', { name })
  await following
  expect(names).toEqual(['Ferrets', 'Geckos'])
  expect(opened).toBeGreaterThan(1)
  receiver.stop(true)

  const { rules } = await shop.report()
  expect(rules.filter(isNotKept)).toEqual([])
  expect(rules).toHaveLength(14)
})
