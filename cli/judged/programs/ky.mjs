// ky, which retries by itself; or with its README's "Using jitter to prevent thundering herd".
import ky from 'ky'
import { isRecommended, makeCalls, url } from './make-calls.mjs'

const client = isRecommended ? ky.create({ retry: { limit: 5, jitter: true } }) : ky

await makeCalls({
  change: () => client.post(`${url}/orders`, { json: { item: 1, quantity: 1 } }),
  reads: [() => client(`${url}/items/1`), () => client(`${url}/stock/1`)],
})
