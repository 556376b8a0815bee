// The fetch of Node, which does not retry.
import { makeCalls, url } from './make-calls.mjs'

await makeCalls({
  change: () =>
    fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ item: 1, quantity: 1 }),
    }),
  reads: [() => fetch(`${url}/items/1`), () => fetch(`${url}/stock/1`)],
})
