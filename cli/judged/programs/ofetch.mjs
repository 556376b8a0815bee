// ofetch, which retries reads by itself; or with the retries of its README, which are for every method.
import { ofetch } from 'ofetch'
import { isRecommended, makeCalls, url } from './make-calls.mjs'

const client = ofetch.create({ baseURL: url, ...(isRecommended && { retry: 3, retryDelay: 500 }) })

await makeCalls({
  change: () => client('/orders', { method: 'POST', body: { item: 1, quantity: 1 } }),
  reads: [() => client('/items/1'), () => client('/stock/1')],
})
