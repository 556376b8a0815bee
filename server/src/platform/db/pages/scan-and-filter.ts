import type { Awaitable } from '../../lib/awaitable.ts'
import { type Keyset, where } from '../clauses.ts'
import type { Queryable } from '../database.ts'
import { type Found, type List, type SortKey, scannedMax, sortKeyOf, toPage } from './list.ts'
import { anyOf, compareSortKey, selectRanges, unionAll } from './ranges.ts'

/** The most index ranges read for one page: planning more costs more than scanning rows of other values. */
const rangesMax = 10
/** How many rows others may add between the two statements: a batch. */
const addedMax = 100

/**
 * For everything else: scan up to 1,000 rows in the list's order and keep those that pass the filters. The first statement
 * finds where the scan ends (no row: at the end of the list), the second reads up to there, with what was added meanwhile. Only rows that
 * pass are sorted.
 *
 *     SELECT … WHERE conditions AND (name, id) > ($1, $2) ORDER BY name, id LIMIT 1 OFFSET 999
 *
 *     SELECT * FROM (SELECT … WHERE conditions AND (name, id) > ($1, $2) ORDER BY name, id LIMIT 1100) AS scanned
 *     WHERE filters AND (name, id) <= ($3, $4) ORDER BY name, id LIMIT 21
 *
 * With `oneOf`, each value has a range with an equal share of the 1,000 rows, combined as in `read-in-order.ts`; too many values become
 * a filter.
 */
export async function scanAndFilter<R extends object>(db: Queryable, list: List, keyset: Keyset): Promise<Found<R>> {
  const { oneOf } = list
  const hasManyRanges = oneOf !== undefined && oneOf.length > rangesMax
  const scanned = hasManyRanges ? { ...list, oneOf: undefined, filters: [anyOf(oneOf), ...(list.filters ?? [])] } : list
  const share = Math.floor(scannedMax / (scanned.oneOf?.length ?? 1))
  const end = await findScanEnd(db, scanned, keyset, share)
  return toPage(await readUntil<R>(db, scanned, keyset, share, end), keyset, end)
}

/** The last sort key up to which every row is scanned; undefined: the scan reaches the end of the list. */
async function findScanEnd(db: Queryable, list: List, keyset: Keyset, share: number): Promise<SortKey | undefined> {
  const params = [...(list.params ?? [])]
  const ranges = selectRanges(db, list, keyset, `LIMIT 1 OFFSET ${share - 1}`, params)
  const [end] = await db.query<object>(unionAll(ranges, keyset.sort, 'LIMIT 1'), params)
  return end && sortKeyOf(end, keyset.sort)
}

function readUntil<R>(
  db: Queryable,
  list: List,
  keyset: Keyset,
  share: number,
  end: SortKey | undefined,
): Awaitable<R[]> {
  const { sort } = keyset
  const params = [...(list.params ?? [])]
  const limit = `LIMIT ${keyset.limit + 1}`
  const kept = selectRanges(db, list, keyset, `LIMIT ${share + addedMax}`, params).map((range) => {
    const conditions = where([...(list.filters ?? []), compareSortKey(sort, end, 'until')], params).where
    return `SELECT * FROM (${range}) AS scanned ${conditions} ${sort.orderBy} ${limit}`
  })
  return db.query(unionAll(kept, sort, limit), params)
}
