import type { Queryable, Transaction } from '../db/database.ts'

const counted = `SELECT category_id, status, count(*) AS pets FROM pets GROUP BY category_id, status
  UNION ALL SELECT 0, status, count(*) FROM pets GROUP BY status`

const noted = `SELECT category_id, status, pets FROM pet_counts
  UNION ALL SELECT category_id, status, pets FROM pet_count_changes
  UNION ALL SELECT 0, status, pets FROM pet_count_changes`

/** By how much the counts of pets are off, by category and status. Goes through all pets. */
const differences = `SELECT category_id, status, CAST(sum(pets) AS bigint) AS pets FROM (
    ${counted} UNION ALL SELECT category_id, status, -pets FROM (${noted}) AS noted
  ) AS compared GROUP BY category_id, status HAVING sum(pets) <> 0`

export async function countWrongCounts(db: Queryable): Promise<number> {
  return (await db.query(differences)).length
}

/** Adds what is missing, in one statement: a change of a pet beside it is in both sides or in neither. */
export async function mendCounts(tx: Transaction): Promise<void> {
  await tx.query(
    `INSERT INTO pet_counts (category_id, status, pets) SELECT * FROM (${differences}) AS missing WHERE TRUE
     ON CONFLICT (category_id, status) DO UPDATE SET pets = pet_counts.pets + excluded.pets`,
  )
}
