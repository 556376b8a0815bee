// got, which retries by itself. Its documentation recommends nothing else.
import got from 'got'
import { makeCalls, url } from './make-calls.mjs'

const client = got.extend({ prefixUrl: url, responseType: 'json' })

await makeCalls({
  change: () => client.post('orders', { json: { item: 1, quantity: 1 } }),
  reads: [() => client('items/1'), () => client('stock/1')],
})
