import { type Clause, fill, type Keyset, matchesMax, where } from '../clauses.ts'
import type { Queryable } from '../database.ts'
import type { Value } from '../value.ts'
import { type Found, type List, toPage } from './list.ts'
import { anyOf, compareSortKey } from './ranges.ts'

/**
 * For searches with few matches: fetch them all by key and sort them. Undefined if there are too many.
 *
 *     search LIMIT 501
 *
 *     SELECT * FROM (SELECT … WHERE id IN (the ids found) LIMIT 500) AS fetched
 *     WHERE conditions AND filters AND (name, id) > ($1, $2) ORDER BY name, id LIMIT 21
 */
export async function sortMatches<R extends object>(
  db: Queryable,
  list: List,
  search: Clause,
  keyset: Keyset,
): Promise<Found<R> | undefined> {
  const searchParams: Value[] = []
  const found = await db.query<{ found: number }>(`${fill(search, searchParams)} LIMIT ${matchesMax + 1}`, searchParams)
  if (found.length > matchesMax) return undefined
  const { sort, after, limit } = keyset
  const params = [...(list.params ?? [])]
  const key = Object.keys(sort.columns).at(-1)
  const ids = `$${params.push(JSON.stringify(found.map(({ found }) => found)))}`
  // In a subquery, so that the planner uses no index other than the key's.
  const fetched = `${list.select} WHERE ${key} IN (${db.dialect.integersIn(ids)}) LIMIT ${matchesMax}`
  const oneOf = list.oneOf && anyOf(list.oneOf)
  const conditions = [...(list.where ?? []), oneOf, ...(list.filters ?? []), compareSortKey(sort, after, 'after')]
  const rows = await db.query<R>(
    `SELECT * FROM (${fetched}) AS fetched ${where(conditions, params).where} ${sort.orderBy} LIMIT ${limit + 1}`,
    params,
  )
  return toPage(rows, keyset, undefined)
}
