import { insertCategory } from '../categories/store.ts'
import type { Transaction } from '../db/database.ts'
import { insertOrder } from '../orders/store.ts'
import { insertPet } from '../pets/store.ts'
import { addStock, changeStock, recordMovement, setStock, settleStatus } from '../stock/move.ts'
import { sampleCatalogue } from './catalogue.ts'

/** Fills an empty shop through the same doors as everybody else, so that stock, orders and ledger agree. */
export async function loadSample(tx: Transaction, keyId: number, now: number): Promise<void> {
  for (const { name, description, pets } of sampleCatalogue) {
    const category = await insertCategory(tx, { name, description })
    for (const { name, stock = 1, orders = [] } of pets) {
      const pet = await insertPet(tx, { name, categoryId: category.id, status: 'available', held: 0 })
      await addStock(tx, { petId: pet.id, delta: 1, cause: 'registered', now })
      await setStock(tx, { petId: pet.id, before: 1, quantity: stock, now })
      for (const signed of orders) {
        const quantity = Math.abs(signed)
        await changeStock(tx, { petId: pet.id, delta: -quantity })
        const fields = { quantity, shipDate: null, complete: signed < 0 ? 1 : 0 } as const
        const order = await insertOrder(tx, { keyId, petId: pet.id, ...fields, now })
        await recordMovement(tx, { petId: pet.id, delta: -quantity, cause: 'ordered', orderId: order.id, now })
      }
      await settleStatus(tx, pet)
    }
  }
}
