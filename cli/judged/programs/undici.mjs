// undici's RetryAgent: its defaults, or the options of its documentation's example.
import { Agent, RetryAgent } from 'undici'
import { isRecommended, makeCalls, url } from './make-calls.mjs'

const agent = new RetryAgent(new Agent(), isRecommended ? { maxRetries: 3, minTimeout: 1000, timeoutFactor: 2 } : {})

async function send(method, path, more = {}) {
  const { body } = await agent.request({ origin: url, method, path, ...more })
  return body.json()
}

await makeCalls({
  change: () =>
    send('POST', '/orders', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ item: 1, quantity: 1 }),
    }),
  reads: [() => send('GET', '/items/1'), () => send('GET', '/stock/1')],
})
