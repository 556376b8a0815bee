// ofetch with the retries of its README, three after 500 ms each. Once they are set, they are for every method.
import { ofetch } from 'ofetch'

const client = ofetch.create({
  baseURL: process.env.PETSTORE_URL,
  headers: { 'X-API-Key': process.env.PETSTORE_API_KEY },
  timeout: 5_000,
  retry: 3,
  retryDelay: 500,
})
const order = (petId, headers = {}) =>
  client('/store/orders', { method: 'POST', body: { petId: Number(petId), quantity: 1 }, headers })

const calls = {
  read: (petId) => client.raw(`/pets/${petId}/profile`),
  async pages() {
    for (let next = '/pets?limit=20'; next; ) {
      const { headers } = await client.raw(next, next.startsWith('/') ? {} : { baseURL: '' })
      next = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
    }
  },
  order,
  'order-with-key': (petId) => order(petId, { 'Idempotency-Key': crypto.randomUUID() }),
  async edit(petId) {
    const { headers } = await calls.read(petId)
    await client(`/pets/${petId}`, {
      method: 'PATCH',
      body: { name: 'Max' },
      headers: { 'If-Match': headers.get('ETag') },
    })
  },
  wrong: () => client('/pets?limit=0'),
}

const [, , call, petId] = process.argv
await calls[call](petId)
