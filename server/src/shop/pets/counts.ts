import { addUp } from '../../platform/db/add-up.ts'
import type { Database, Queryable, Transaction, Value } from '../../platform/db/database.ts'
import { byHundreds, placeholders } from '../../platform/db/many.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { categoriesCountedMax } from './shapes.ts'
import type { PetStatus } from './status.ts'

// A trigger logs each change of a pet in pet_count_changes. A count is the sum in pet_counts plus the changes since.

/** The row for all categories together. */
const allCategories = 0

export interface PetCount {
  readonly category_id: number
  readonly status: PetStatus
  readonly pets: number
}

/** Counts of all pets (as category 0), and of each requested category or of the first ones that have pets. */
export async function findCounts(db: Queryable, categoryIds: readonly Id[] | undefined): Promise<PetCount[]> {
  const ids: Value[] = categoryIds ? [...new Set(categoryIds)] : []
  const idList = ids.map((_, index) => `$${index + 1}`).join(', ')
  const categoryFilter = categoryIds ? `category_id IN (${idList})` : `category_id <> ${allCategories}`
  const counts = await db.query<PetCount>(
    `SELECT category_id, status, CAST(sum(pets) AS bigint) AS pets FROM (
       SELECT category_id, status, pets FROM pet_counts WHERE category_id = ${allCategories}
       UNION ALL SELECT ${allCategories}, status, pets FROM pet_count_changes WHERE id > 0
       UNION ALL SELECT * FROM (SELECT category_id, status, pets FROM pet_counts WHERE ${categoryFilter} AND pets <> 0
         ORDER BY category_id, status LIMIT ${categoriesCountedMax * 3}) AS first
       UNION ALL SELECT category_id, status, pets FROM pet_count_changes WHERE id > 0 AND ${categoryFilter}
     ) AS counted GROUP BY category_id, status HAVING sum(pets) <> 0 ORDER BY category_id, status`,
    ids,
  )
  // Counts of further categories may lack what was added up.
  const complete = new Set(
    [...new Set(counts.map(({ category_id }) => category_id))].slice(0, 1 + categoriesCountedMax),
  )
  return counts.filter(({ category_id }) => complete.has(category_id))
}

export const addUpCounts = (db: Database): Promise<void> =>
  addUp(db, { table: 'pet_count_changes', columns: 'category_id, status, pets', add })

async function add(tx: Transaction, changes: readonly PetCount[]): Promise<void> {
  for (const batch of byHundreds(sumOf(changes))) {
    await tx.query(
      `INSERT INTO pet_counts (category_id, status, pets) VALUES ${placeholders(batch.length, 3)}
       ON CONFLICT (category_id, status) DO UPDATE SET pets = pet_counts.pets + excluded.pets`,
      batch.flat(),
    )
  }
}

function sumOf(changes: readonly PetCount[]): Value[][] {
  const sums = new Map<string, { categoryId: number; status: PetStatus; pets: number }>()
  for (const { category_id, status, pets } of changes) {
    for (const categoryId of [allCategories, category_id]) {
      sums.getOrInsertComputed(`${categoryId} ${status}`, () => ({ categoryId, status, pets: 0 })).pets += pets
    }
  }
  return [...sums.values()]
    .filter(({ pets }) => pets !== 0)
    .map(({ categoryId, status, pets }) => [categoryId, status, pets])
}
