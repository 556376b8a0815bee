// superagent, which does not retry; or with `.retry(2)`, which its documentation has for idempotent requests only.
import superagent from 'superagent'
import { isRecommended, makeCalls, url } from './make-calls.mjs'

const read = (path) => (isRecommended ? superagent.get(`${url}${path}`).retry(2) : superagent.get(`${url}${path}`))

await makeCalls({
  change: () => superagent.post(`${url}/orders`).send({ item: 1, quantity: 1 }),
  // A request of superagent is sent by its `then`.
  reads: [async () => await read('/items/1'), async () => await read('/stock/1')],
})
