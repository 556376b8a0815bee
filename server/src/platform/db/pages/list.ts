import type { Clause, Keyset, Sort } from '../clauses.ts'
import type { Value } from '../value.ts'

/** The most rows scanned for one page when not every scanned row belongs to it. */
export const scannedMax = 1_000

/** The values of a sort's columns in one row, which say where it is in the order. */
export type SortKey = readonly Value[]

export interface List {
  /** `SELECT … FROM …` of its rows, with every column that a condition names, and `$1` and so on for `params`. */
  readonly select: string
  readonly params?: readonly Value[]
  /** Conditions that an index serves together with the order. */
  readonly where?: readonly (Clause | undefined)[]
  /** More such conditions. A row of the list meets one of them, and no row meets two. */
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

/** Every strategy asks for one row more than the page has, which tells whether there is a next page. */
export function toPage<R extends object>(rows: R[], { sort, limit }: Keyset, end: SortKey | undefined): Found<R> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, next: rows.length > limit && last ? sortKeyOf(last, sort) : end }
}

export const sortKeyOf = (row: object, { columns }: Sort): SortKey =>
  Object.keys(columns).map((column) => (row as Record<string, Value>)[column] ?? null)
