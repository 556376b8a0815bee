import type { Database, Queryable, Value } from '../db/database.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { PetStatus } from '../db/tables.ts'
import { entryOf } from '../lib/entry-of.ts'
import type { Id } from '../lib/int64.ts'
import { categoriesCountedMax } from './operations.ts'

// The database notes each change of a pet (see migration 0011); what is counted is what was added up so far and the notes since.

/** Stands for all categories together. */
const allCategories = 0
/** So few that they are added up in a moment. */
const changesAtOnce = 5_000

export interface PetCount {
  readonly category_id: number
  readonly status: PetStatus
  readonly pets: number
}

/** The counts of all categories together (as category 0), and of each of those asked for, or of the first that have pets. */
export async function findCounts(db: Queryable, categoryIds: readonly Id[] | undefined): Promise<PetCount[]> {
  const ids: Value[] = categoryIds ? [...new Set(categoryIds)] : []
  const asked = ids.map((_, index) => `$${index + 1}`).join(', ')
  const isAsked = categoryIds ? `category_id IN (${asked})` : `category_id <> ${allCategories}`
  return db.query<PetCount>(
    `SELECT category_id, status, CAST(sum(pets) AS bigint) AS pets FROM (
       SELECT category_id, status, pets FROM pet_counts WHERE category_id = ${allCategories}
       UNION ALL SELECT ${allCategories}, status, pets FROM pet_count_changes WHERE id > 0
       UNION ALL SELECT * FROM (SELECT category_id, status, pets FROM pet_counts WHERE ${isAsked} AND pets <> 0
         ORDER BY category_id, status LIMIT ${categoriesCountedMax * 3}) AS first
       UNION ALL SELECT category_id, status, pets FROM pet_count_changes WHERE id > 0 AND ${isAsked}
     ) AS counted GROUP BY category_id, status HAVING sum(pets) <> 0 ORDER BY category_id, status`,
    ids,
  )
}

/** Adds up what was noted. One node at a time: the notes are as good. */
export async function addUpCounts(db: Database): Promise<void> {
  for (;;) {
    const added = await db.transaction(async (tx) => {
      if (!(await tx.tryLock('pet counts'))) return 0
      const changes = await tx.query<PetCount>(
        `DELETE FROM pet_count_changes WHERE id IN (SELECT id FROM pet_count_changes ORDER BY id LIMIT ${changesAtOnce})
         RETURNING category_id, status, pets`,
      )
      for (const some of byHundreds(sumOf(changes))) {
        await tx.query(
          `INSERT INTO pet_counts (category_id, status, pets) VALUES ${placeholders(some.length, 3)}
           ON CONFLICT (category_id, status) DO UPDATE SET pets = pet_counts.pets + excluded.pets`,
          some.flat(),
        )
      }
      return changes.length
    })
    if (added < changesAtOnce) return
  }
}

function sumOf(changes: readonly PetCount[]): Value[][] {
  const sums = new Map<string, { categoryId: number; status: PetStatus; pets: number }>()
  for (const { category_id, status, pets } of changes) {
    for (const categoryId of [allCategories, category_id]) {
      entryOf(sums, `${categoryId} ${status}`, () => ({ categoryId, status, pets: 0 })).pets += pets
    }
  }
  return [...sums.values()]
    .filter(({ pets }) => pets !== 0)
    .map(({ categoryId, status, pets }) => [categoryId, status, pets])
}
