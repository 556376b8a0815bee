// openapi-fetch on the fetch of Node, which does not retry.
import createClient from 'openapi-fetch'

const client = createClient({
  baseUrl: process.env.PETSTORE_URL,
  headers: { 'X-API-Key': process.env.PETSTORE_API_KEY },
  fetch: (request) => fetch(request, { signal: AbortSignal.timeout(5_000) }),
})
const order = (petId, header = {}) =>
  client.POST('/store/orders', { params: { header }, body: { petId: Number(petId), quantity: 1 } })

const calls = {
  read: (petId) => client.GET('/pets/{petId}/profile', { params: { path: { petId } } }),
  async pages() {
    let cursor
    do {
      const { response } = await client.GET('/pets', { params: { query: { limit: 20, cursor } } })
      const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
      cursor = next && new URL(next).searchParams.get('cursor')
    } while (cursor)
  },
  order,
  'order-with-key': (petId) => order(petId, { 'Idempotency-Key': crypto.randomUUID() }),
  async edit(petId) {
    const { response } = await calls.read(petId)
    const header = { 'If-Match': response.headers.get('ETag') }
    await client.PATCH('/pets/{petId}', { params: { path: { petId }, header }, body: { name: 'Max' } })
  },
  wrong: () => client.GET('/pets', { params: { query: { limit: 0 } } }),
}

const [, , call, petId] = process.argv
await calls[call](petId)
