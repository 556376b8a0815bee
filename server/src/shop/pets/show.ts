import { showCategory } from '../categories/show.ts'
import type { PetCount } from './counts.ts'
import type { PetStatus } from './status.ts'
import type { PetRow, ProfileRow } from './store.ts'

/** A pet as clients see it. */
export const showPet = ({ id, name, category_id, status }: PetRow) => ({ id, name, categoryId: category_id, status })

/** A pet with its category and its stock. */
export function showProfile(row: ProfileRow) {
  const { id, name, categoryId, status } = showPet(row)
  const category = { id: categoryId, name: row.category_name, description: row.category_description }
  return { id, name, categoryId, status, category: showCategory(category), stock: row.stock, held: row.held === 1 }
}

interface CountFilter {
  readonly status?: readonly PetStatus[] | undefined
  readonly categoryId?: readonly unknown[] | undefined
}

/** Counts as clients see them. The totals cover the requested categories, or all if none were requested. */
export function showCounts(counts: readonly PetCount[], { status, categoryId }: CountFilter) {
  const matching = counts.filter((count) => !status || status.includes(count.status))
  const [all, each] = [
    matching.filter((count) => count.category_id === 0),
    matching.filter((count) => count.category_id > 0),
  ]
  const summed = categoryId ? each : all
  const sum = (rows: readonly PetCount[]) => rows.reduce((total, { pets }) => total + pets, 0)
  const withStatus = (name: PetStatus) => sum(summed.filter((count) => count.status === name))
  return {
    total: sum(summed),
    byStatus: { available: withStatus('available'), pending: withStatus('pending'), sold: withStatus('sold') },
    byCategory: [...Map.groupBy(each, ({ category_id }) => category_id)].map(([id, rows]) => ({
      categoryId: id,
      total: sum(rows),
    })),
  }
}

export interface InventoryRow {
  /** The id of the pet. */
  id: number
  quantity: number
  status: PetStatus
}

/** The inventory row of a pet. */
export const itemOf = ({ id, status }: PetRow, quantity: number): InventoryRow => ({ id, quantity, status })

/** An inventory item as clients see it. */
export const showItem = ({ id, quantity, status }: InventoryRow) => ({ petId: id, quantity, status })
