// axios with axios-retry: its defaults, or its README's "exponential back-off retry delay between requests".
import axios from 'axios'
import axiosRetry from 'axios-retry'
import { isRecommended, makeCalls, url } from './make-calls.mjs'

const client = axios.create({ baseURL: url })
axiosRetry(client, isRecommended ? { retryDelay: axiosRetry.exponentialDelay } : {})

await makeCalls({
  change: () => client.post('/orders', { item: 1, quantity: 1 }),
  reads: [() => client.get('/items/1'), () => client.get('/stock/1')],
})
