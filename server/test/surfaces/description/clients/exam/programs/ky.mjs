// ky with its own retries: two, of every method but POST and PATCH, and not after a timeout.
import ky from 'ky'

const url = process.env.PETSTORE_URL
const client = ky.create({ headers: { 'X-API-Key': process.env.PETSTORE_API_KEY }, timeout: 5_000 })
const order = (petId, headers = {}) =>
  client.post(`${url}/store/orders`, { json: { petId: Number(petId), quantity: 1 }, headers })

const calls = {
  read: (petId) => client(`${url}/pets/${petId}/profile`),
  async pages() {
    for (let next = `${url}/pets?limit=20`; next; ) {
      const response = await client(next)
      next = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
    }
  },
  order,
  'order-with-key': (petId) => order(petId, { 'Idempotency-Key': crypto.randomUUID() }),
  async edit(petId) {
    const { headers } = await calls.read(petId)
    await client.patch(`${url}/pets/${petId}`, { json: { name: 'Max' }, headers: { 'If-Match': headers.get('ETag') } })
  },
  wrong: () => client(`${url}/pets?limit=0`),
}

const [, , call, petId] = process.argv
await calls[call](petId)
