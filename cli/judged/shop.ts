import { startSandbox } from '../../sdk/src/testing/sandbox.ts'
import { startTemporaryHost } from '../../server/src/sandbox/serve.ts'
import type { Upstream } from './client.ts'

/** A sample shop of the Pet Store, which our SDK needs: it does not understand the errors of other services. */
export async function startShop(): Promise<Upstream> {
  const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
  const shop = await startSandbox({ host: host.url, seed: 'judged' })
  const countOrders = async () => (await shop.client().store.orders.list({ limit: 100 }).toArray()).length
  const before = await countOrders()
  return {
    url: shop.url,
    env: { PETSTORE_API_KEY: shop.apiKey },
    changes: async () => (await countOrders()) - before,
    stop: () => host.stop(),
  }
}
