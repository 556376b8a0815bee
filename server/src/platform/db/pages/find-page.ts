import type { Keyset } from '../clauses.ts'
import type { Queryable } from '../database.ts'
import { type Found, type List, scannedMax } from './list.ts'
import { readInOrder } from './read-in-order.ts'
import { scanAndFilter } from './scan-and-filter.ts'
import { sortMatches } from './sort-matches.ts'

/**
 * Finds a page of a list. However many rows there are and wherever the matching ones are, it reads a bounded number: every scan has a
 * LIMIT. So a page may have fewer rows than requested and still have a next page.
 */
export async function findPage<R extends object>(db: Queryable, list: List, keyset: Keyset): Promise<Found<R>> {
  const hasFilters = list.filters?.some((filter) => filter !== undefined) ?? false
  const rangeCount = list.oneOf?.length ?? 1
  if (!hasFilters && !list.search && rangeCount * (keyset.limit + 1) <= scannedMax) return readInOrder(db, list, keyset)
  const found = list.search && (await sortMatches<R>(db, list, list.search, keyset))
  return found ?? scanAndFilter(db, list, keyset)
}
