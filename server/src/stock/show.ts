import type { InventoryRow, PetRow } from '../db/tables.ts'

/** A pet as clients see it. */
export const showPet = ({ id, name, category_id, status }: PetRow) => ({ id, name, categoryId: category_id, status })

/** The row of a pet that is in stock. */
export const itemOf = ({ id, status }: PetRow, quantity: number): InventoryRow => ({ id, quantity, status })

/** A stock count as clients see it. */
export const showItem = ({ id, quantity, status }: InventoryRow) => ({ petId: id, quantity, status })
