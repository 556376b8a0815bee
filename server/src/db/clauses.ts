import type { Value } from './value.ts'

/** A condition with `?` for each value; an array stands for a list: `status IN (?)`. */
export type Clause = readonly [sql: string, ...values: (Value | readonly Value[])[]]

/** Joins conditions with AND and numbers their parameters from `$1`. */
export function where(clauses: readonly (Clause | undefined)[]): { where: string; params: Value[] } {
  const params: Value[] = []
  const place = (value: Value) => `$${params.push(value)}`
  const conditions = clauses
    .filter((clause) => clause !== undefined)
    .map(([sql, ...values]) => {
      const rest = [...values]
      return sql.replaceAll('?', () => {
        const value = rest.shift()
        return Array.isArray(value) ? value.map(place).join(', ') : place((value ?? null) as Value)
      })
    })
  return { where: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '', params }
}

/** A total order; the last column is unique. All columns run the same way, so one row comparison finds the next page. */
export interface Sort {
  readonly columns: readonly string[]
  readonly descending: boolean
}

export const ascending = (...columns: string[]): Sort => ({ columns, descending: false })
export const descending = (...columns: string[]): Sort => ({ columns, descending: true })

export interface Keyset {
  readonly sort: Sort
  /** Values of the sort's columns in the last row seen. */
  readonly after: readonly Value[] | undefined
  readonly limit: number
}

export function after({ sort, after }: Keyset): Clause | undefined {
  if (after === undefined) return undefined
  const marks = sort.columns.map(() => '?').join(', ')
  return [`(${sort.columns.join(', ')}) ${sort.descending ? '<' : '>'} (${marks})`, ...after]
}

/** One row more than asked for, so that the caller can tell whether there is a next page. */
export function orderBy({ sort, limit }: Keyset): string {
  const direction = sort.descending ? 'DESC' : 'ASC'
  return `ORDER BY ${sort.columns.map((column) => `${column} ${direction}`).join(', ')} LIMIT ${limit + 1}`
}

/** A LIKE pattern that finds `part` anywhere, with its own `%` and `_` taken literally (ESCAPE '\'). */
export const likePattern = (part: string): string => `%${part.replace(/[\\%_]/g, '\\$&')}%`
