import { unknownInBatch } from '../../platform/api/errors.ts'
import type { Call } from '../../platform/api/operation.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { categoryErrors } from '../categories/operations.ts'
import { findExistingIds } from '../categories/store.ts'
import { type NewPet, registerPet } from './register.ts'
import type { PetRow } from './store.ts'

/** Registers several pets, all or none. Ids follow the given order. */
export async function registerPets(tx: Transaction, call: Call, pets: readonly NewPet[]): Promise<PetRow[]> {
  // Checked first to report every fault; a category deleted in between violates the foreign key.
  const existing = await findExistingIds(tx, [...new Set(pets.map(({ categoryId }) => categoryId))])
  const faults = pets.flatMap(({ categoryId }, index) =>
    existing.has(categoryId)
      ? []
      : [{ in: 'body' as const, path: `/${index}/categoryId`, message: `there is no category ${categoryId}` }],
  )
  if (faults.length > 0) throw unknownInBatch(categoryErrors.unknown_category, faults)
  return Promise.all(pets.map((pet) => registerPet(tx, call, pet)))
}
