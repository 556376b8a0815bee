import { afterAll, expect, test } from 'bun:test'
import { type Service, startService } from '../../harness/service.ts'

// The message of an error says what happened, why, and what to do. Each line is one a client gets often, or got with a wrong cause.

const service: Service = await startService()
afterAll(() => service.stop())
const { admin } = service
const { id: categoryId } = (await admin.post('/categories', { name: 'Dogs' })).body
const { id: petId } = (await admin.post('/pets', { name: 'Rex', categoryId })).body
const { body: order } = await admin.post('/store/orders', { petId })
const reader = await service.newClient({ plan: 'pro', preset: 'reader' })
const { keyId } = (await admin.get('/limits')).body

const json = { 'Content-Type': 'application/json' }
const body = JSON.stringify({ name: 'Rex', categoryId })

type Sent = Promise<{ body: { message: string } }>
const messages: [send: () => Sent, message: string][] = [
  [() => admin.post('/pets', { nmae: 'Rex', categoryId: 1.5 }), '3 problems; first: unknown field `nmae`.'],
  [() => admin.post('/pets', { name: 'Rex' }), '1 problem: `categoryId` is required.'],
  [() => admin.get('/pets?limit=0'), '1 problem: the parameter `limit` must be a whole number from 1 to 100.'],
  [
    () => service.as(undefined).get('/pets'),
    'The request has no API key. Send the key in the header `X-API-Key`, or as `Authorization: Bearer <key>`.',
  ],
  [
    () => service.as('ps_none').get('/pets'),
    'The API key is mistyped, unknown, expired or revoked. Check the key for a typo, or ask an administrator for a new one.',
  ],
  [
    () => reader.post('/pets', { name: 'Rex', categoryId }),
    'This key lacks the scope `pets:write`, which this operation requires. Use a key that has it, or ask an administrator to add it.',
  ],
  [() => admin.get('/pets/9999/profile'), 'There is no pet 9999. List the pets to find its id.'],
  [() => admin.get('/keys/9999'), 'There is no key 9999. List the keys to find its id.'],
  [
    () => admin.delete(`/keys/${keyId}`),
    `Key ${keyId} is the last with \`keys:manage\`. Create another first that lasts at least as long.`,
  ],
  [
    () => admin.post('/store/orders', { petId }),
    `Rex (pet ${petId}) is pending and cannot be ordered. Order another pet. This one can be ordered when its status is \`available\` again: when stock comes in or, if it is on hold, when someone sets its status.`,
  ],
  [
    () => admin.patch(`/store/orders/${order.id}`, { quantity: 5 }),
    `Rex (pet ${petId}) has 0 left; 4 were ordered. Request a smaller quantity, or wait until more is in stock.`,
  ],
  [() => admin.delete(`/pets/${petId}`), `Pet ${petId} has open orders. Complete or cancel them first.`],
  [
    () => admin.delete(`/categories/${categoryId}`),
    `Category ${categoryId} still has pets. Move or delete its pets first.`,
  ],
  [
    () => admin.put(`/store/inventory/${petId}`, { quantity: 1 }, { 'If-None-Match': '*' }),
    'The resource already exists, and `If-None-Match: *` requires that it does not. Use it as it is, or leave out `If-None-Match`.',
  ],
  [
    () => admin.patch(`/pets/${petId}`, { name: 'Max' }, { 'If-Match': '"old"' }),
    'The resource has changed since you read it: its ETag differs from the one in `If-Match`. Read it again, apply your change to what you get, and send it with the new ETag.',
  ],
  [
    () => admin.post('/pets', body, { ...json, 'Content-Encoding': 'gzip' }),
    'The body is encoded as `gzip`, which is not supported. Send it without compression and without `Content-Encoding`.',
  ],
  [
    () => admin.post('/pets', body, { 'Content-Type': 'text/plain' }),
    'The body is declared as `text/plain`, not as JSON. Send `Content-Type: application/json`.',
  ],
  [
    () => admin.get(`/events?after=evt_${(2 ** 52).toString(36)}_1`),
    'There is no such event. Either the id is wrong, or the event was lost because the database was restored to an earlier state. Check the id. If it is one you received, you may have missed events: read the resources again, then continue with `after=latest`.',
  ],
  [
    () => admin.get('/events?after=first'),
    '"first" is not the id of an event. Use the `id` of an event, or the URL in a `Link` header.',
  ],
]

test.each(messages.map(([send, message]) => [message, send] as const))('%s', async (message, send) => {
  expect((await send()).body.message).toBe(message)
})

test('a key with all its webhooks is told how many it has', async () => {
  const webhook = { url: 'https://shop.example/hooks', events: ['order.*'] }
  for (let count = 0; count < 20; count++) await admin.post('/webhooks', webhook)
  expect((await admin.post('/webhooks', webhook)).body.message).toBe(
    'This key has 20 of 20 webhooks. Delete one that you do not need, or subscribe one webhook to several event types.',
  )
})
