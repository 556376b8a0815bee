import { showCategory } from '../categories/show.ts'
import type { PetRow } from '../db/tables.ts'
import type { ProfileRow } from './store.ts'

/** A pet as clients see it. */
export const showPet = ({ id, name, category_id, status }: PetRow) => ({ id, name, categoryId: category_id, status })

/** A pet with its category and its stock. */
export function showProfile(row: ProfileRow) {
  const category = { id: row.category_id, name: row.category_name, description: row.category_description }
  return { ...showPet(row), category: showCategory(category), stock: row.stock }
}
