import type { Value } from './value.ts'

/** A condition with `?` for each value; an array stands for a list: `id IN (?)`. */
export type Clause = readonly [sql: string, ...values: (Value | readonly Value[])[]]

/** Joins conditions with AND and numbers their parameters, adding them to `params`. */
export function where(clauses: readonly (Clause | undefined)[], params: Value[] = []) {
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

type Columns = Readonly<Record<string, 'text' | 'integer' | 'integer or null'>>

/** A total order; the last column is unique. All columns run the same way, so one row comparison finds the next page. */
export interface Sort {
  readonly columns: Columns
  readonly descending: boolean
}

export const ascending = (columns: Columns): Sort => ({ columns, descending: false })
export const descending = (columns: Columns): Sort => ({ columns, descending: true })

export interface Keyset {
  readonly sort: Sort
  /** Values of the sort's columns in the last row seen. */
  readonly after: readonly Value[] | undefined
  readonly limit: number
}

function after({ sort, after }: Keyset): Clause | undefined {
  if (after === undefined) return undefined
  const columns = Object.keys(sort.columns)
  const marks = columns.map(() => '?').join(', ')
  return [`(${columns.join(', ')}) ${sort.descending ? '<' : '>'} (${marks})`, ...after]
}

/** One row more than asked for, so that the caller can tell whether there is a next page. */
function orderBy({ sort, limit }: Keyset): string {
  const direction = sort.descending ? 'DESC' : 'ASC'
  const columns = Object.keys(sort.columns).map((column) => `${column} ${direction}`)
  return `ORDER BY ${columns.join(', ')} LIMIT ${limit + 1}`
}

interface PageQuery {
  /** `SELECT … FROM …`, with `$1` and so on for `params`. */
  readonly select: string
  readonly params?: readonly Value[]
  readonly where: readonly (Clause | undefined)[]
  /** One of these must hold, and for no row can two of them. */
  readonly oneOf?: readonly Clause[] | undefined
  readonly keyset: Keyset
}

/**
 * The statement that finds a page. With `oneOf` each condition finds a page of its own, and the page asked for is among them: an
 * index is in order within one value, not over several, and sorting would take in every row.
 */
export function pageQuery(query: PageQuery): [sql: string, params: Value[]] {
  const { select, oneOf = [undefined], keyset } = query
  const params = [...(query.params ?? [])]
  const [first = '', ...others] = oneOf.map(
    (one) => `${select} ${where([...query.where, one, after(keyset)], params).where} ${orderBy(keyset)}`,
  )
  if (others.length === 0) return [first, params]
  const found = [first, ...others].map((one) => `SELECT * FROM (${one}) AS found`)
  return [`${found.join(' UNION ALL ')} ${orderBy(keyset)}`, params]
}

/** A LIKE pattern that finds `part` anywhere, with its own `%` and `_` taken literally (ESCAPE '\'). */
export const likePattern = (part: string): string => `%${part.replace(/[\\%_]/g, '\\$&')}%`
