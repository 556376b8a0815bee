import { ascending, descending, type Keyset } from '../../platform/db/clauses.ts'
import type { Database, Queryable } from '../../platform/db/database.ts'
import { findPage } from '../../platform/db/pages/find-page.ts'
import type { Found } from '../../platform/db/pages/list.ts'
import type { Awaitable } from '../../platform/lib/awaitable.ts'
import type { Id } from '../../platform/lib/int64.ts'
import type { InventoryRow } from '../pets/show.ts'
import type { PetStatus } from '../pets/status.ts'
import { statusClauses } from '../pets/store.ts'

export const inventorySorts = { petId: ascending({ id: 'integer' }), '-petId': descending({ id: 'integer' }) }

interface InventoryFilter {
  status?: PetStatus[] | undefined
  minQuantity?: number | undefined
  maxQuantity?: number | undefined
}

// Sorted by pets.id, not inventory.pet_id: the index on status returns pets in this order without sorting.
const select = 'SELECT id, quantity, status FROM pets JOIN inventory ON pet_id = id'

export const findInventory = (
  db: Queryable,
  { status, minQuantity, maxQuantity }: InventoryFilter,
  keyset: Keyset,
): Promise<Found<InventoryRow>> =>
  findPage(
    db,
    {
      select,
      oneOf: status && statusClauses(status),
      filters: [
        minQuantity === undefined ? undefined : ['quantity >= ?', minQuantity],
        maxQuantity === undefined ? undefined : ['quantity <= ?', maxQuantity],
      ],
    },
    keyset,
  )

export const findInventoryItem = (db: Database, petId: Id): Awaitable<InventoryRow | undefined> =>
  db.find(`${select} WHERE id`, petId)
