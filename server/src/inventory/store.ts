import { after, ascending, type Keyset, orderBy, where } from '../db/clauses.ts'
import type { Queryable } from '../db/database.ts'
import type { InventoryRow, PetStatus } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'

export const inventorySorts = { petId: ascending('pet_id') }

export interface InventoryFilter {
  status?: PetStatus[] | undefined
  maxQuantity?: number | undefined
}

const select = 'SELECT pet_id, quantity, status FROM inventory JOIN pets ON pets.id = pet_id'

export function findInventory(
  db: Queryable,
  { status, maxQuantity }: InventoryFilter,
  keyset: Keyset,
): Promise<InventoryRow[]> {
  const { where: condition, params } = where([
    status && ['status IN (?)', status],
    maxQuantity === undefined ? undefined : ['quantity <= ?', maxQuantity],
    after(keyset),
  ])
  return db.query(`${select} ${condition} ${orderBy(keyset)}`, params)
}

export async function findInventoryItem(db: Queryable, petId: Id): Promise<InventoryRow | undefined> {
  const [row] = await db.query<InventoryRow>(`${select} WHERE pet_id = $1`, [petId])
  return row
}
