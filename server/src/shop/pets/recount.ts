import type { Queryable, Transaction } from '../../platform/db/database.ts'

const actual = `SELECT category_id, status, count(*) AS pets FROM pets GROUP BY category_id, status
  UNION ALL SELECT 0, status, count(*) FROM pets GROUP BY status`

const stored = `SELECT category_id, status, pets FROM pet_counts
  UNION ALL SELECT category_id, status, pets FROM pet_count_changes
  UNION ALL SELECT 0, status, pets FROM pet_count_changes`

/** How far the stored counts are off, by category and status. Scans all pets. */
const differences = `SELECT category_id, status, CAST(sum(pets) AS bigint) AS pets FROM (
    ${actual} UNION ALL SELECT category_id, status, -pets FROM (${stored}) AS saved
  ) AS compared GROUP BY category_id, status HAVING sum(pets) <> 0`

export async function countWrongCounts(db: Queryable): Promise<number> {
  return (await db.query(differences)).length
}

/** Corrects the counts in one statement, so that a concurrent change of a pet is on both sides or on neither. */
export async function repairCounts(tx: Transaction): Promise<void> {
  await tx.query(
    `INSERT INTO pet_counts (category_id, status, pets) SELECT * FROM (${differences}) AS missing WHERE TRUE
     ON CONFLICT (category_id, status) DO UPDATE SET pets = pet_counts.pets + excluded.pets`,
  )
}
