import type { PetRow } from './lock.ts'
import type { PetStatus } from './status.ts'

export interface InventoryRow {
  /** The id of the pet. */
  id: number
  quantity: number
  status: PetStatus
}

/** A pet as clients see it. */
export const showPet = ({ id, name, category_id, status }: PetRow) => ({ id, name, categoryId: category_id, status })

/** The inventory row of a pet. */
export const itemOf = ({ id, status }: PetRow, quantity: number): InventoryRow => ({ id, quantity, status })

/** An inventory item as clients see it. */
export const showItem = ({ id, quantity, status }: InventoryRow) => ({ petId: id, quantity, status })
