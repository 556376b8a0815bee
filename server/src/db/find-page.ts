import type { Awaitable } from '../lib/awaitable.ts'
import { type Clause, fill, type Keyset, matchesMax, ordered, type Sort, where } from './clauses.ts'
import type { Queryable } from './database.ts'
import type { Value } from './value.ts'

/** So many rows are read in the order of the list for one page, when not every row that is read belongs to it. */
const walkedMax = 1_000
/** At so many places at most reading begins: planning more of them costs more than reading past what is not asked for. */
const stretchesMax = 10

/** Values of a sort's columns: a place in its order. */
export type Position = readonly Value[]

export interface List {
  /** `SELECT … FROM …` of its rows, with every column that a condition names, and `$1` and so on for `params`. */
  readonly select: string
  readonly params?: readonly Value[]
  /** Conditions that an index serves together with the order. */
  readonly where?: readonly (Clause | undefined)[]
  /** The same; one of these must hold, and for no row can two of them. */
  readonly oneOf?: readonly Clause[] | undefined
  /** Conditions that rows are held against once they are read. */
  readonly filters?: readonly (Clause | undefined)[]
  /** Selects as `found` the keys of all rows that meet the filters, and perhaps others, from an index of its own. */
  readonly search?: Clause | undefined
}

export interface Found<R> {
  readonly rows: R[]
  /** Where the next page begins, when there may be one. A page that was cut short begins where reading ended. */
  readonly next: Position | undefined
}

/**
 * A page of a list. However many rows there are, and wherever those lie that belong to it, a bounded number is read: every scan
 * has a LIMIT of its own. So a page may hold fewer than asked for and still have a next one.
 */
export async function findPage<R extends object>(db: Queryable, list: List, keyset: Keyset): Promise<Found<R>> {
  const filters = (list.filters ?? []).filter((filter) => filter !== undefined)
  const each = list.oneOf?.length ?? 1
  if (filters.length === 0 && !list.search && each * (keyset.limit + 1) <= walkedMax)
    return cut(await inOrder<R>(db, list, keyset), keyset, undefined)
  if (list.search) {
    const few = await fewMatches<R>(db, list, list.search, keyset)
    if (few) return cut(few, keyset, undefined)
  }
  const { oneOf } = list
  const walked =
    oneOf && each > stretchesMax ? { ...list, oneOf: undefined, filters: [anyOf(oneOf), ...filters] } : list
  const share = Math.floor(walkedMax / (walked.oneOf?.length ?? 1))
  const end = await endOfWalk(db, walked, keyset, share)
  return cut(await walk<R>(db, walked, keyset, share, end), keyset, end)
}

/** One row more than asked for was looked for, to tell whether there is a next page. */
function cut<R extends object>(rows: R[], { sort, limit }: Keyset, end: Position | undefined): Found<R> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, next: rows.length > limit && last ? positionOf(last, sort) : end }
}

const positionOf = (row: object, { columns }: Sort): Position =>
  Object.keys(columns).map((column) => (row as Record<string, Value>)[column] ?? null)

/** Each of `oneOf` has a page of its own, and the page asked for is among them: an index is in order within one value only. */
function inOrder<R>(db: Queryable, list: List, keyset: Keyset): Awaitable<R[]> {
  const params = [...(list.params ?? [])]
  const most = `LIMIT ${keyset.limit + 1}`
  return db.query(together(stretches(db, list, keyset, most, params), keyset.sort, most), params)
}

/** The rows that follow a place, for each of `oneOf`, in order. */
function stretches(db: Queryable, list: List, { sort, after }: Keyset, most: string, params: Value[]): string[] {
  const { select, oneOf } = list
  const [conditions, values] = oneOf ? [list.where ?? [], oneOf] : oneValueOf(list.where ?? [])
  const follow = place(sort, after, 'behind')
  return values.map((value) => {
    const whole: Stretch = { conditions: [value, follow], order: sort.orderBy }
    const stretch = (value && db.dialect.readsByBounds && byBounds(value, sort, after)) || whole
    return `${select} ${where([...conditions, ...stretch.conditions], params).where} ${stretch.order} ${most}`
  })
}

/** Conditions without the first that gives a column one value, and that one. */
function oneValueOf(conditions: NonNullable<List['where']>): [typeof conditions, (Clause | undefined)[]] {
  const value = conditions.find((clause) => columnOf(clause) !== undefined)
  return [conditions.filter((clause) => clause !== value), [value]]
}

interface Stretch {
  readonly conditions: readonly (Clause | undefined)[]
  readonly order: string
}

/**
 * What follows a place where a column has one value, as bounds in an index that begins with that column. For a planner that, where
 * it is told that a column is equal, may take an index which has the rest of the order, and read past all that is not equal.
 */
function byBounds(clause: Clause, sort: Sort, after: Position | undefined): Stretch | undefined {
  const [, value] = clause
  const column = columnOf(clause)
  if (column === undefined) return undefined
  const { columns, descending } = sort
  const within = ordered({ [column]: 'text', ...columns }, descending)
  const begin: Clause | undefined = after
    ? place(within, [value as Value, ...after], 'behind')
    : [`${column} ${descending ? '<=' : '>='} ?`, value as Value]
  return {
    conditions: [begin, [`${column} ${descending ? '>=' : '<='} ?`, value as Value]],
    order: within.orderBy,
  }
}

function together(selects: readonly string[], sort: Sort, most: string): string {
  if (selects.length === 1) return selects.join()
  return `${selects.map((one) => `SELECT * FROM (${one}) AS found`).join(' UNION ALL ')} ${sort.orderBy} ${most}`
}

/** All that a search finds, sorted here; undefined when that is too much. */
async function fewMatches<R>(db: Queryable, list: List, search: Clause, keyset: Keyset): Promise<R[] | undefined> {
  const counting: Value[] = []
  const [counted] = await db.query<{ matches: number }>(
    `SELECT count(*) AS matches FROM (${fill(search, counting)} LIMIT ${matchesMax + 1}) AS matching`,
    counting,
  )
  if ((counted?.matches ?? 0) > matchesMax) return undefined
  const { sort, after, limit } = keyset
  const params = [...(list.params ?? [])]
  const key = Object.keys(sort.columns).at(-1)
  const matching = `WITH matching AS MATERIALIZED (${fill(search, params)} LIMIT ${matchesMax})`
  // Looked up by their keys and by nothing else: the conditions come after it.
  const fetched = `${list.select} WHERE ${key} IN (SELECT found FROM matching) LIMIT ${matchesMax}`
  const oneOf = list.oneOf && anyOf(list.oneOf)
  const conditions = [...(list.where ?? []), oneOf, ...(list.filters ?? []), place(sort, after, 'behind')]
  const kept = where(conditions, params).where
  return db.query(
    `${matching} SELECT * FROM (${fetched}) AS fetched ${kept} ${sort.orderBy} LIMIT ${limit + 1}`,
    params,
  )
}

/** The last place up to which a walk has seen everything; undefined: it has seen the end of the list. */
async function endOfWalk(db: Queryable, list: List, keyset: Keyset, share: number): Promise<Position | undefined> {
  const params = [...(list.params ?? [])]
  const [end] = await db.query<object>(
    together(stretches(db, list, keyset, `LIMIT 1 OFFSET ${share - 1}`, params), keyset.sort, 'LIMIT 1'),
    params,
  )
  return end && positionOf(end, keyset.sort)
}

/** Reads the list in its order up to there, and keeps what the filters let through: only that is sorted. */
function walk<R>(db: Queryable, list: List, keyset: Keyset, share: number, end: Position | undefined): Awaitable<R[]> {
  const { sort, limit } = keyset
  const params = [...(list.params ?? [])]
  const most = `LIMIT ${limit + 1}`
  const kept = stretches(db, list, keyset, `LIMIT ${share}`, params).map((rows) => {
    const conditions = where([...(list.filters ?? []), place(sort, end, 'up to')], params).where
    return `SELECT * FROM (${rows}) AS walked ${conditions} ${sort.orderBy} ${most}`
  })
  return db.query(together(kept, sort, most), params)
}

/** What lies behind a place in the order, or up to it. */
function place({ columns, descending }: Sort, at: Position | undefined, side: 'behind' | 'up to'): Clause | undefined {
  if (at === undefined) return undefined
  // Where the place has null, so have all rows of the list: they are in order by the rest.
  const names = Object.keys(columns).filter((_, index) => at[index] !== null)
  const operator = side === 'behind' ? (descending ? '<' : '>') : descending ? '>=' : '<='
  return [
    `(${names.join(', ')}) ${operator} (${names.map(() => '?').join(', ')})`,
    ...at.filter((value) => value !== null),
  ]
}

/** Values of one column are looked up as a list, however many they are. */
function anyOf(clauses: readonly Clause[]): Clause {
  const column = columnOf(clauses[0])
  const values = clauses.flatMap(([, ...values]) => values)
  if (column !== undefined && clauses.every((clause) => columnOf(clause) === column))
    return [`${column} IN (?)`, values as Value[]]
  return [`(${clauses.map(([sql]) => sql).join(' OR ')})`, ...values]
}

/** Of a condition that a column has a value. */
const columnOf = (clause: Clause | undefined): string | undefined => /^(\w+) = \?$/.exec(clause?.[0] ?? '')?.[1]
