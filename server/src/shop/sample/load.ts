import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { dayMs } from '../../platform/lib/time.ts'
import { createCategory } from '../categories/create.ts'
import { setInventory } from '../inventory/set.ts'
import { type NewOrder, placeOrder } from '../orders/place.ts'
import { registerPet } from '../pets/register.ts'
import { sampleCatalogue } from './catalogue.ts'

export const sampleAgeMs = 7 * dayMs

/** Fills an empty shop with the actions that requests use, as if it had opened that long ago; if one is rejected, the whole load fails. */
export async function loadSample(tx: Transaction, call: Call, ageMs: number): Promise<void> {
  const start = call.now - ageMs
  const orders: NewOrder[] = []
  for (const { pets, ...category } of sampleCatalogue) {
    const first = { ...call, now: start }
    const { id: categoryId } = await createCategory(tx, first, category)
    for (const { name, stock = 1, orders: quantities = [] } of pets) {
      const { id: petId } = await registerPet(tx, first, { name, categoryId })
      if (stock !== 1) await setInventory(tx, first, petId, stock)
      orders.push(...quantities.map((signed) => ({ petId, quantity: Math.abs(signed), complete: signed < 0 })))
    }
  }
  // In chronological order, like the event log.
  for (const [index, order] of orders.entries()) {
    await placeOrder(tx, { ...call, now: start + Math.floor((ageMs * (index + 1)) / (orders.length + 1)) }, order)
  }
}
