// fetch-retry around the fetch of Node: its defaults, or its README's "Exponential backoff" and "Retry on 503".
import withRetry from 'fetch-retry'
import { isRecommended, makeCalls, url } from './make-calls.mjs'

const fetch = withRetry(
  globalThis.fetch,
  isRecommended ? { retryDelay: (attempt) => 2 ** attempt * 1000, retryOn: [503] } : {},
)

await makeCalls({
  change: () =>
    fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ item: 1, quantity: 1 }),
    }),
  reads: [() => fetch(`${url}/items/1`), () => fetch(`${url}/stock/1`)],
})
