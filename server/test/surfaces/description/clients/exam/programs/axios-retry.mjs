// axios with axios-retry and its exponentialDelay. The key comes from a request interceptor, which runs again for every retry.
import axios from 'axios'
import axiosRetry from 'axios-retry'

const client = axios.create({
  baseURL: process.env.PETSTORE_URL,
  headers: { 'X-API-Key': process.env.PETSTORE_API_KEY },
  timeout: 5_000,
})
axiosRetry(client, { retries: 3, retryDelay: axiosRetry.exponentialDelay })
const order = (petId) => client.post('/store/orders', { petId: Number(petId), quantity: 1 })

const calls = {
  read: (petId) => client.get(`/pets/${petId}/profile`),
  async pages() {
    for (let next = '/pets?limit=20'; next; ) {
      const { headers } = await client.get(next)
      next = /<([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1]
    }
  },
  order,
  'order-with-key'(petId) {
    client.interceptors.request.use((config) => {
      config.headers['Idempotency-Key'] = crypto.randomUUID()
      return config
    })
    return order(petId)
  },
  async edit(petId) {
    const { headers } = await calls.read(petId)
    await client.patch(`/pets/${petId}`, { name: 'Max' }, { headers: { 'If-Match': headers.etag } })
  },
  wrong: () => client.get('/pets?limit=0'),
}

const [, , call, petId] = process.argv
await calls[call](petId)
