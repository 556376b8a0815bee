import { showCategory } from '../categories/show.ts'
import type { PetStatus } from '../db/tables.ts'
import { showPet } from '../stock/show.ts'
import type { PetCount } from './counts.ts'
import type { ProfileRow } from './store.ts'

/** A pet with its category and its stock. */
export function showProfile(row: ProfileRow) {
  const { id, name, categoryId, status } = showPet(row)
  const category = { id: categoryId, name: row.category_name, description: row.category_description }
  return { id, name, categoryId, status, category: showCategory(category), stock: row.stock }
}

interface Asked {
  readonly status?: readonly PetStatus[] | undefined
  readonly categoryId?: readonly unknown[] | undefined
}

/** Counts as clients see them. With categories asked for, the sums are of those; without, of all. */
export function showCounts(counts: readonly PetCount[], { status, categoryId }: Asked) {
  const wanted = counts.filter((count) => !status || status.includes(count.status))
  const [all, each] = [
    wanted.filter((count) => count.category_id === 0),
    wanted.filter((count) => count.category_id > 0),
  ]
  const summed = categoryId ? each : all
  const sum = (some: readonly PetCount[]) => some.reduce((total, { pets }) => total + pets, 0)
  const of = (name: PetStatus) => sum(summed.filter((count) => count.status === name))
  return {
    total: sum(summed),
    byStatus: { available: of('available'), pending: of('pending'), sold: of('sold') },
    byCategory: [...Map.groupBy(each, ({ category_id }) => category_id)].map(([id, some]) => ({
      categoryId: id,
      total: sum(some),
    })),
  }
}
