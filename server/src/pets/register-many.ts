import { unknownInBatch } from '../api/errors.ts'
import type { Call } from '../api/operation.ts'
import type { Transaction } from '../db/database.ts'
import type { PetRow } from '../db/tables.ts'
import { type NewPet, registerPet } from './register.ts'
import { knownCategories } from './store.ts'

/** Adds animals to the shop, all of them or none. They get their ids in the order given. */
export async function registerPets(tx: Transaction, call: Call, pets: readonly NewPet[]): Promise<PetRow[]> {
  // Looked up so that every fault can be named; a category that is deleted meanwhile is refused by the database.
  const known = await knownCategories(tx, [...new Set(pets.map(({ categoryId }) => categoryId))])
  const faults = pets.flatMap(({ categoryId }, index) =>
    known.has(categoryId)
      ? []
      : [{ in: 'body' as const, path: `/${index}/categoryId`, message: `there is no category ${categoryId}` }],
  )
  if (faults.length > 0) throw unknownInBatch('unknown_category', faults)
  return Promise.all(pets.map((pet) => registerPet(tx, call, pet)))
}
