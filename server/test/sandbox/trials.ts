import type { Sandbox } from '../../../sdk/src/testing/sandbox.ts'

/** Makes a shop fail in every way that the report judges a client by. */
export async function addFaults(shop: Sandbox): Promise<void> {
  await shop.fail('listPets', 'rate_limited', { times: 2 })
  await shop.fail('getPetProfile', 'unavailable', { times: 2 })
  await shop.fail('listCategories', 'cut', { times: 4 })
  for (const operation of ['getStoreSummary', 'listInventory']) {
    await shop.fail(operation, 'internal_error', { times: 2 })
    await shop.fail(operation, 'cut', { times: 2 })
  }
  await shop.fail('placeOrder', 'cut_after', { times: 1 })
  await shop.fail('updatePet', 'precondition_failed', { times: 1 })
  await shop.fail('streamEvents', 'cut_after', { times: 1 })
}

/** Random numbers for a client's waits, so far apart that a busy machine does not make the waits look alike. */
export function createDraws(): () => number {
  let drawn = 0
  return () => [0.95, 0.6, 0.5, 0.45, 0.7][drawn++ % 5] ?? 0
}

/** On a busy machine the waits may have too much noise to say how they were chosen. */
export const isNotKept = ({ rule, verdict }: { readonly rule: string; readonly verdict: string }): boolean =>
  verdict !== 'passed' && !(rule === 'jitter' && verdict === 'not_seen')
