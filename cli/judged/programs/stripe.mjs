// The client of Stripe, which retries by itself. Its README recommends nothing else.
import Stripe from 'stripe'
import { makeCalls, url } from './make-calls.mjs'

const { hostname: host, port } = new URL(url)
const stripe = new Stripe('sk_test_1', { protocol: 'http', host, port })

await makeCalls({
  change: () => stripe.customers.create({ email: 'customer@example.com' }),
  reads: [() => stripe.balance.retrieve(), () => stripe.customers.retrieve('cus_a')],
})
// It does not read the responses after which it tries again, so their connections stay open until its timeout of 80 seconds.
process.exit()
