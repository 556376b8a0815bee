import type { Value } from './value.ts'

/** A condition with `?` for each value; an array becomes a list: `id IN (?)`. */
type Condition = readonly [sql: string, ...values: (Value | readonly Value[])[]]

/** `column = value`, as data: a list with such a condition can be read as a range of an index. */
export interface Equality {
  readonly column: string
  readonly value: Value
}

export type Clause = Condition | Equality

export const equals = (column: string, value: Value): Equality => ({ column, value })
export const isEquality = (clause: Clause | undefined): clause is Equality => clause !== undefined && 'column' in clause

/** Joins conditions with AND and numbers their parameters, adding them to `params`. */
export function where(clauses: readonly (Clause | undefined)[], params: Value[] = []) {
  let conditions = ''
  for (const clause of clauses) {
    if (clause !== undefined) conditions += (conditions === '' ? 'WHERE ' : ' AND ') + fill(clause, params)
  }
  return { where: conditions, params }
}

/** Replaces each `?` by a numbered parameter, and adds the values to `params`. */
export function fill(clause: Clause, params: Value[]): string {
  const number = (value: Value) => `$${params.push(value)}`
  if (isEquality(clause)) return `${clause.column} = ${number(clause.value)}`
  const [sql, ...values] = clause
  let text = ''
  let written = 0
  for (const value of values) {
    const mark = sql.indexOf('?', written)
    text += sql.slice(written, mark) + (Array.isArray(value) ? value.map(number).join(', ') : number(value as Value))
    written = mark + 1
  }
  return text + sql.slice(written)
}

type Columns = Readonly<Record<string, 'text' | 'integer' | 'nullable-integer'>>

/** A total order; the last column is unique. All columns have the same direction, so one row comparison finds the next page. */
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
  /** The values of the sort's columns in the last row of the previous page. */
  readonly after: readonly Value[] | undefined
  readonly limit: number
}

/** The most matches of a search that are fetched and sorted; if there are more, the list is scanned in its order instead. */
export const matchesMax = 500
