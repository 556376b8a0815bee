import { type Clause, fill } from './clauses.ts'
import type { Queryable } from './database.ts'
import type { Value } from './value.ts'

/** The index consists of parts of three characters. */
const partLength = 3
/** How many parts of a text are looked up to find rare ones. */
const partsMax = 8
/** How many rare parts a search combines; more would hardly reduce the matches. */
export const rarePartsMax = 3

/**
 * Selects as `found` the ids of all rows whose `name_folded` contains `text`, and perhaps of others. Undefined if that would take an
 * unbounded number of index entries: the text is too short, or all of its parts that were looked up are common.
 */
export async function searchFor(db: Queryable, table: string, text: string): Promise<Clause | undefined> {
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

/** The distinct parts of a text, or an even selection if there are many. */
function partsOf(text: string): string[] {
  const characters = [...text]
  const all = characters.slice(partLength - 1).map((_, at) => characters.slice(at, at + partLength).join(''))
  const parts = [...new Set(all)]
  if (parts.length <= partsMax) return parts
  const step = (parts.length - 1) / (partsMax - 1)
  return Array.from({ length: partsMax }, (_, index) => parts[Math.round(index * step)] as string)
}
