import type { Sandbox } from '../../../sdk/src/testing/sandbox.ts'

/** Makes a shop fail in every way that the report judges a client by. */
export async function addFaults(shop: Sandbox): Promise<void> {
  await shop.fail('listPets', 'rate_limited', { times: 2 })
  await shop.fail('getPetProfile', 'unavailable', { times: 2 })
  await shop.fail('listCategories', 'cut', { times: 4 })
  await shop.fail('placeOrder', 'cut_after', { times: 1 })
  await shop.fail('updatePet', 'precondition_failed', { times: 1 })
  await shop.fail('streamEvents', 'cut_after', { times: 1 })
}

/** Draws for a client's waits. Chance could draw waits that look steady. */
export function createDraws(): () => number {
  let drawn = 0
  return () => [0.9, 0.35, 0.6][drawn++ % 3] ?? 0
}
