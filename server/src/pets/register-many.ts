import { unknownInBatch } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { PetRow } from '../db/tables.ts'
import { type NewPet, registerPet } from './register.ts'
import { knownCategories } from './store.ts'

/** Registers several pets, all or none. Ids follow the given order. */
export async function registerPets(tx: Transaction, call: Call, pets: readonly NewPet[]): Promise<PetRow[]> {
  // Checked first to report every fault; a category deleted meanwhile violates the foreign key.
  const known = await knownCategories(tx, [...new Set(pets.map(({ categoryId }) => categoryId))])
  const faults = pets.flatMap(({ categoryId }, index) =>
    known.has(categoryId)
      ? []
      : [{ in: 'body' as const, path: `/${index}/categoryId`, message: `there is no category ${categoryId}` }],
  )
  if (faults.length > 0) throw unknownInBatch('unknown_category', faults)
  return Promise.all(pets.map((pet) => registerPet(tx, call, pet)))
}
