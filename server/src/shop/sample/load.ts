import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { createCategory } from '../categories/create.ts'
import { setInventory } from '../inventory/set.ts'
import { placeOrder } from '../orders/place.ts'
import { registerPet } from '../pets/register.ts'
import { sampleCatalogue } from './catalogue.ts'

/** Fills an empty shop with the actions that requests use; if one is rejected, the whole load fails. */
export async function loadSample(tx: Transaction, call: Call): Promise<void> {
  for (const { pets, ...category } of sampleCatalogue) {
    const { id: categoryId } = await createCategory(tx, call, category)
    for (const { name, stock = 1, orders = [] } of pets) {
      const { id: petId } = await registerPet(tx, call, { name, categoryId })
      if (stock !== 1) await setInventory(tx, call, petId, stock)
      for (const signed of orders) {
        await placeOrder(tx, call, { petId, quantity: Math.abs(signed), complete: signed < 0 })
      }
    }
  }
}
