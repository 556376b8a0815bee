import type { Value } from './value.ts'

/** A condition with `?` for each value; an array stands for a list: `id IN (?)`. */
export type Clause = readonly [sql: string, ...values: (Value | readonly Value[])[]]

/** Joins conditions with AND and numbers their parameters, adding them to `params`. */
export function where(clauses: readonly (Clause | undefined)[], params: Value[] = []) {
  let conditions = ''
  for (const clause of clauses) {
    if (clause !== undefined) conditions += (conditions === '' ? 'WHERE ' : ' AND ') + fill(clause, params)
  }
  return { where: conditions, params }
}

/** A statement or condition with its values numbered, which are added to `params`. */
export function fill([sql, ...values]: Clause, params: Value[]): string {
  const place = (value: Value) => `$${params.push(value)}`
  let text = ''
  let written = 0
  for (const value of values) {
    const mark = sql.indexOf('?', written)
    text += sql.slice(written, mark) + (Array.isArray(value) ? value.map(place).join(', ') : place(value as Value))
    written = mark + 1
  }
  return text + sql.slice(written)
}

type Columns = Readonly<Record<string, 'text' | 'integer' | 'integer or null'>>

/** A total order; the last column is unique. All columns run the same way, so one row comparison finds the next page. */
export interface Sort {
  readonly columns: Columns
  readonly descending: boolean
  /** `ORDER BY …` */
  readonly orderBy: string
}

export const ascending = (columns: Columns): Sort => ordered(columns, false)
export const descending = (columns: Columns): Sort => ordered(columns, true)

export function ordered(columns: Columns, descending: boolean): Sort {
  const by = Object.keys(columns).map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`)
  return { columns, descending, orderBy: `ORDER BY ${by.join(', ')}` }
}

export interface Keyset {
  readonly sort: Sort
  /** Values of the sort's columns in the last row seen. */
  readonly after: readonly Value[] | undefined
  readonly limit: number
}

/** So many matches of a search are fetched and sorted; when there are more, the list is read in its order instead. */
export const matchesMax = 500
