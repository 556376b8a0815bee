// got with its own retries: two, of every method but POST and PATCH.
import got from 'got'

const client = got.extend({
  prefixUrl: process.env.PETSTORE_URL,
  headers: { 'X-API-Key': process.env.PETSTORE_API_KEY },
  timeout: { request: 5_000 },
  responseType: 'json',
})
const order = (petId, headers = {}) =>
  client.post('store/orders', { json: { petId: Number(petId), quantity: 1 }, headers })

const calls = {
  read: (petId) => client(`pets/${petId}/profile`),
  // It follows the Link header automatically.
  pages: () => client.paginate.all('pets?limit=20'),
  order,
  'order-with-key': (petId) => order(petId, { 'Idempotency-Key': crypto.randomUUID() }),
  async edit(petId) {
    const { headers } = await calls.read(petId)
    await client.patch(`pets/${petId}`, { json: { name: 'Max' }, headers: { 'If-Match': headers.etag } })
  },
  wrong: () => client('pets?limit=0'),
}

const [, , call, petId] = process.argv
await calls[call](petId)
