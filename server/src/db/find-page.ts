import type { Awaitable } from '../lib/awaitable.ts'
import { type Clause, type Keyset, matchesMax, ordered, type Sort, where } from './clauses.ts'
import type { Queryable } from './database.ts'
import type { Value } from './value.ts'

/** So many rows are read in the order of the list for one page, when not every row that is read belongs to it. */
const walkedMax = 2_500

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
  if (filters.length === 0 && !list.search) return cut(await inOrder<R>(db, list, keyset), keyset, undefined)
  if (list.search) {
    const few = await fewMatches<R>(db, list, list.search, keyset)
    if (few) return cut(few, keyset, undefined)
  }
  const share = Math.max(Math.floor(walkedMax / (list.oneOf?.length ?? 1)), keyset.limit + 1)
  const end = await endOfWalk(db, list, keyset, share)
  return cut(await walk<R>(db, list, keyset, share, end), keyset, end)
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
  const value = conditions.find((clause) => clause && equality.test(clause[0]))
  return [conditions.filter((clause) => clause !== value), [value]]
}

const equality = /^(\w+) = \?$/

interface Stretch {
  readonly conditions: readonly (Clause | undefined)[]
  readonly order: string
}

/**
 * What follows a place where a column has one value, as bounds in an index that begins with that column. For a planner that, where
 * it is told that a column is equal, may take an index which has the rest of the order, and read past all that is not equal.
 */
function byBounds([sql, value]: Clause, sort: Sort, after: Position | undefined): Stretch | undefined {
  const [, column] = equality.exec(sql) ?? []
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

/** Reads the list in its order up to there, and keeps what the filters let through. */
function walk<R>(db: Queryable, list: List, keyset: Keyset, share: number, end: Position | undefined): Awaitable<R[]> {
  const { sort, limit } = keyset
  const params = [...(list.params ?? [])]
  const rows = together(stretches(db, list, keyset, `LIMIT ${share}`, params), sort, `LIMIT ${walkedMax + limit}`)
  const kept = where([...(list.filters ?? []), place(sort, end, 'up to')], params).where
  return db.query(`SELECT * FROM (${rows}) AS walked ${kept} ${sort.orderBy} LIMIT ${limit + 1}`, params)
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

const anyOf = (clauses: readonly Clause[]): Clause => [
  `(${clauses.map(([sql]) => sql).join(' OR ')})`,
  ...clauses.flatMap(([, ...values]) => values),
]

/** A statement with its values numbered. */
const fill = (clause: Clause, params: Value[]): string => where([clause], params).where.slice('WHERE '.length)
