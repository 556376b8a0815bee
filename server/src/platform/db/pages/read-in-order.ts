import type { Keyset } from '../clauses.ts'
import type { Queryable } from '../database.ts'
import { type Found, type List, toPage } from './list.ts'
import { selectRanges, unionAll } from './ranges.ts'

/**
 * For lists without filters: read the page from an index in the list's order. With `oneOf`, each value has a range of the
 * index in that order, and the page is among the first rows of all ranges.
 *
 *     SELECT … WHERE conditions AND (name, id) > ($1, $2) ORDER BY name, id LIMIT 21
 *
 *     SELECT * FROM (SELECT … WHERE status = $1 AND (name, id) > ($2, $3) ORDER BY name, id LIMIT 21) AS found UNION ALL
 *     SELECT * FROM (SELECT … WHERE status = $4 AND (name, id) > ($5, $6) ORDER BY name, id LIMIT 21) AS found
 *     ORDER BY name, id LIMIT 21
 */
export async function readInOrder<R extends object>(db: Queryable, list: List, keyset: Keyset): Promise<Found<R>> {
  const params = [...(list.params ?? [])]
  const limit = `LIMIT ${keyset.limit + 1}`
  const ranges = selectRanges(db, list, keyset, limit, params)
  return toPage(await db.query<R>(unionAll(ranges, keyset.sort, limit), params), keyset, undefined)
}
