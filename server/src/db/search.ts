import { type Clause, fill } from './clauses.ts'
import type { Queryable, SearchedTable } from './database.ts'
import type { Value } from './value.ts'

/** The index knows parts of three characters. */
const partLength = 3
/** So many parts of a text are looked up, to find rare ones. */
const partsMax = 8
/** So many rare parts are asked for together; more would hardly find fewer rows. */
export const rarePartsMax = 3

/**
 * Selects as `found` the ids of all rows whose `name_folded` holds `text`, and perhaps of others. Undefined where no bounded number of index
 * entries can tell: the text is too short, or each part of it that was looked up is in too many rows.
 */
export async function searchFor(db: Queryable, table: SearchedTable, text: string): Promise<Clause | undefined> {
  const parts = partsOf(text)
  if (parts.length === 0) return undefined
  const params: Value[] = []
  const rare = await db.query<{ part: string }>(fill(db.dialect.rareParts(table, parts), params), params)
  if (rare.length === 0) return undefined
  return db.dialect.holdingAll(
    table,
    rare.map(({ part }) => part),
  )
}

/** The different parts of a text, or as many of them from its beginning to its end. */
function partsOf(text: string): string[] {
  const characters = [...text]
  const all = characters.slice(partLength - 1).map((_, at) => characters.slice(at, at + partLength).join(''))
  const parts = [...new Set(all)]
  if (parts.length <= partsMax) return parts
  const step = (parts.length - 1) / (partsMax - 1)
  return Array.from({ length: partsMax }, (_, index) => parts[Math.round(index * step)] as string)
}
