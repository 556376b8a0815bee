import { ascending, type Keyset, pageQuery } from '../db/clauses.ts'
import type { Queryable } from '../db/database.ts'
import type { InventoryRow, PetStatus } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { statusIs } from '../pets/store.ts'

export const inventorySorts = { petId: ascending({ id: 'integer' }) }

interface InventoryFilter {
  status?: PetStatus[] | undefined
  maxQuantity?: number | undefined
}

// By the pet's id, not the entry's: pets of one status are found in that order, and need no sorting.
const select = 'SELECT id, quantity, status FROM pets JOIN inventory ON pet_id = id'

export function findInventory(
  db: Queryable,
  { status, maxQuantity }: InventoryFilter,
  keyset: Keyset,
): Promise<InventoryRow[]> {
  const page = pageQuery({
    select,
    where: [maxQuantity === undefined ? undefined : ['quantity <= ?', maxQuantity]],
    oneOf: status && statusIs(status),
    keyset,
  })
  return db.query(...page)
}

export async function findInventoryItem(db: Queryable, petId: Id): Promise<InventoryRow | undefined> {
  const [row] = await db.query<InventoryRow>(`${select} WHERE id = $1`, [petId])
  return row
}
