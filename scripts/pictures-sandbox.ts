import { startSandbox } from '../sdk/src/testing/sandbox.ts'
import { startTemporaryHost } from '../server/src/sandbox/serve.ts'

/** A sandbox after the visit of a client that retries well and edits badly, so that its report has verdicts of each kind. */
export async function startPicturedSandbox(): Promise<{ url: string; stop(): Promise<unknown> }> {
  const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
  const shop = await startSandbox({ host: host.url })
  const petstore = shop.client()
  await shop.fail('getPetProfile', 'unavailable', { times: 2 })
  await shop.fail('placeOrder', 'cut_after', { times: 1 })
  await petstore.pets.profile(1)
  await petstore.store.orders.place({ petId: 23, quantity: 2 })
  for await (const pet of petstore.pets.list({ limit: 10 })) if (pet.id > 30) break
  await petstore.pets.update(1, { name: 'Max the brave' })
  return { url: shop.url, stop: () => host.stop() }
}
