import type { Awaitable } from '../lib/awaitable.ts'
import { type Clause, fill, type Keyset, matchesMax, ordered, type Sort, where } from './clauses.ts'
import type { Queryable } from './database.ts'
import type { Value } from './value.ts'

/** The most rows scanned for one page when not every scanned row belongs to it. */
const scannedMax = 1_000
/** The most index ranges read for one page: planning more costs more than scanning rows of other values. */
const rangesMax = 10

/** The values of a sort's columns in one row, which say where it is in the order. */
export type SortKey = readonly Value[]

export interface List {
  /** `SELECT … FROM …` of its rows, with every column that a condition names, and `$1` and so on for `params`. */
  readonly select: string
  readonly params?: readonly Value[]
  /** Conditions that an index serves together with the order. */
  readonly where?: readonly (Clause | undefined)[]
  /** More such conditions. Each row meets at most one of them, and a row of the list meets one. */
  readonly oneOf?: readonly Clause[] | undefined
  /** Conditions that no index serves: they are checked after a row is read. */
  readonly filters?: readonly (Clause | undefined)[]
  /** Selects as `found` the keys of all rows that meet the filters, and perhaps of others, from a separate index. */
  readonly search?: Clause | undefined
}

export interface Found<R> {
  readonly rows: R[]
  /** Where the next page starts, if there may be one. A page that was cut short continues where scanning stopped. */
  readonly next: SortKey | undefined
}

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

/**
 * Strategy 1, for lists without filters: read the page from an index in the list's order. With `oneOf`, each value has a range of the
 * index in that order, and the page is among the first rows of all ranges.
 *
 *     SELECT … WHERE conditions AND (name, id) > ($1, $2) ORDER BY name, id LIMIT 21
 *
 *     SELECT * FROM (SELECT … WHERE status = $1 AND (name, id) > ($2, $3) ORDER BY name, id LIMIT 21) AS found UNION ALL
 *     SELECT * FROM (SELECT … WHERE status = $4 AND (name, id) > ($5, $6) ORDER BY name, id LIMIT 21) AS found
 *     ORDER BY name, id LIMIT 21
 */
async function readInOrder<R extends object>(db: Queryable, list: List, keyset: Keyset): Promise<Found<R>> {
  const params = [...(list.params ?? [])]
  const limit = `LIMIT ${keyset.limit + 1}`
  const ranges = selectRanges(db, list, keyset, limit, params)
  return toPage(await db.query<R>(unionAll(ranges, keyset.sort, limit), params), keyset, undefined)
}

/**
 * Strategy 2, for searches with few matches: fetch them all by key and sort them. Undefined if there are too many.
 *
 *     search LIMIT 501
 *
 *     SELECT * FROM (SELECT … WHERE id IN (the ids found) LIMIT 500) AS fetched
 *     WHERE conditions AND filters AND (name, id) > ($1, $2) ORDER BY name, id LIMIT 21
 */
async function sortMatches<R extends object>(
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
  // In a subquery, so that the planner uses no index but that of the key.
  const fetched = `${list.select} WHERE ${key} IN (${db.dialect.integersIn(ids)}) LIMIT ${matchesMax}`
  const oneOf = list.oneOf && anyOf(list.oneOf)
  const conditions = [...(list.where ?? []), oneOf, ...(list.filters ?? []), compareSortKey(sort, after, 'after')]
  const rows = await db.query<R>(
    `SELECT * FROM (${fetched}) AS fetched ${where(conditions, params).where} ${sort.orderBy} LIMIT ${limit + 1}`,
    params,
  )
  return toPage(rows, keyset, undefined)
}

/**
 * Strategy 3, for everything else: scan up to 1,000 rows in the list's order and keep those that pass the filters. The first statement
 * finds where the scan ends (no row: at the end of the list), the second reads up to there. Only rows that pass are sorted.
 *
 *     SELECT … WHERE conditions AND (name, id) > ($1, $2) ORDER BY name, id LIMIT 1 OFFSET 999
 *
 *     SELECT * FROM (SELECT … WHERE conditions AND (name, id) > ($1, $2) ORDER BY name, id LIMIT 1000) AS scanned
 *     WHERE filters AND (name, id) <= ($3, $4) ORDER BY name, id LIMIT 21
 *
 * With `oneOf`, each value has a range with an equal share of the 1,000 rows, combined as in strategy 1; too many values become a filter.
 */
async function scanAndFilter<R extends object>(db: Queryable, list: List, keyset: Keyset): Promise<Found<R>> {
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
  const kept = selectRanges(db, list, keyset, `LIMIT ${share}`, params).map((range) => {
    const conditions = where([...(list.filters ?? []), compareSortKey(sort, end, 'until')], params).where
    return `SELECT * FROM (${range}) AS scanned ${conditions} ${sort.orderBy} ${limit}`
  })
  return db.query(unionAll(kept, sort, limit), params)
}

/** Every strategy asks for one row more than the page has, which tells whether there is a next page. */
function toPage<R extends object>(rows: R[], { sort, limit }: Keyset, end: SortKey | undefined): Found<R> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, next: rows.length > limit && last ? sortKeyOf(last, sort) : end }
}

const sortKeyOf = (row: object, { columns }: Sort): SortKey =>
  Object.keys(columns).map((column) => (row as Record<string, Value>)[column] ?? null)

/** For each value of `oneOf`, a SELECT of the rows after the keyset's position, in order. */
function selectRanges(db: Queryable, list: List, { sort, after }: Keyset, limit: string, params: Value[]): string[] {
  const { select, oneOf } = list
  const [conditions, values] = oneOf ? [list.where ?? [], oneOf] : takeEquality(list.where ?? [])
  const isAfter = compareSortKey(sort, after, 'after')
  return values.map((value) => {
    const byEquality: Range = { conditions: [value, isAfter], orderBy: sort.orderBy }
    const range = (value && db.dialect.readsByBounds && boundRange(value, sort, after)) || byEquality
    return `${select} ${where([...conditions, ...range.conditions], params).where} ${range.orderBy} ${limit}`
  })
}

/** Splits off the first condition of the form `column = ?`. */
function takeEquality(conditions: NonNullable<List['where']>): [typeof conditions, (Clause | undefined)[]] {
  const equality = conditions.find((clause) => columnOf(clause) !== undefined)
  return [conditions.filter((clause) => clause !== equality), [equality]]
}

interface Range {
  readonly conditions: readonly (Clause | undefined)[]
  readonly orderBy: string
}

/**
 * Writes `status = 'sold' AND (name, id) > (…)` as bounds in an index that starts with that column:
 *
 *     (status, name, id) > ('sold', …) AND status <= 'sold' ORDER BY status, name, id
 *
 * Given an equality, PostgreSQL may choose an index on the rest of the order instead and scan all rows of other values.
 */
function boundRange(clause: Clause, sort: Sort, after: SortKey | undefined): Range | undefined {
  const [, value] = clause
  const column = columnOf(clause)
  if (column === undefined) return undefined
  const { columns, descending } = sort
  const extended = ordered({ [column]: 'text', ...columns }, descending)
  const start: Clause | undefined = after
    ? compareSortKey(extended, [value as Value, ...after], 'after')
    : [`${column} ${descending ? '<=' : '>='} ?`, value as Value]
  return {
    conditions: [start, [`${column} ${descending ? '>=' : '<='} ?`, value as Value]],
    orderBy: extended.orderBy,
  }
}

function unionAll(selects: readonly string[], sort: Sort, limit: string): string {
  if (selects.length === 1) return selects.join()
  return `${selects.map((select) => `SELECT * FROM (${select}) AS found`).join(' UNION ALL ')} ${sort.orderBy} ${limit}`
}

/** A condition for rows after a sort key, or up to and including it. */
function compareSortKey(
  { columns, descending }: Sort,
  key: SortKey | undefined,
  side: 'after' | 'until',
): Clause | undefined {
  if (key === undefined) return undefined
  // Where the key has null, so have all rows of the list: the other columns order them.
  const names = Object.keys(columns).filter((_, index) => key[index] !== null)
  const operator = side === 'after' ? (descending ? '<' : '>') : descending ? '>=' : '<='
  return [
    `(${names.join(', ')}) ${operator} (${names.map(() => '?').join(', ')})`,
    ...key.filter((value) => value !== null),
  ]
}

/** One condition for several: `column IN (…)` if all compare the same column. */
function anyOf(clauses: readonly Clause[]): Clause {
  const column = columnOf(clauses[0])
  const values = clauses.flatMap(([, ...values]) => values)
  if (column !== undefined && clauses.every((clause) => columnOf(clause) === column))
    return [`${column} IN (?)`, values as Value[]]
  return [`(${clauses.map(([sql]) => sql).join(' OR ')})`, ...values]
}

/** The column of a condition of the form `column = ?`. */
const columnOf = (clause: Clause | undefined): string | undefined => /^(\w+) = \?$/.exec(clause?.[0] ?? '')?.[1]
