import { type Clause, type Equality, isEquality, type Keyset, ordered, type Sort, where } from '../clauses.ts'
import type { Queryable } from '../database.ts'
import type { Value } from '../value.ts'
import type { List, SortKey } from './list.ts'

/** For each value of `oneOf`, a SELECT of the rows after the keyset's position, in order. */
export function selectRanges(
  db: Queryable,
  list: List,
  { sort, after }: Keyset,
  limit: string,
  params: Value[],
): string[] {
  const { select, oneOf = [undefined] } = list
  const isAfter = compareSortKey(sort, after, 'after')
  return oneOf.map((one) => {
    const clauses = [...(list.where ?? []), one]
    const bound = isEquality(one) ? one : clauses.find(isEquality)
    const others = clauses.filter((clause) => clause !== bound)
    const byEquality: Range = { conditions: [bound, isAfter], orderBy: sort.orderBy }
    const range = db.dialect.readsByBounds && bound ? boundRange(bound, sort, after) : byEquality
    return `${select} ${where([...others, ...range.conditions], params).where} ${range.orderBy} ${limit}`
  })
}

interface Range {
  readonly conditions: readonly (Clause | undefined)[]
  readonly orderBy: string
}

/**
 * Writes `status = 'sold' AND (name, id) > (…)` as bounds of an index that starts with that column:
 *
 *     (status, name, id) > ('sold', …) AND status <= 'sold' ORDER BY status, name, id
 *
 * Given an equality, PostgreSQL may choose an index on the rest of the order instead and scan all rows with other values.
 */
function boundRange({ column, value }: Equality, { columns, descending }: Sort, after: SortKey | undefined): Range {
  const extended = ordered({ [column]: 'text', ...columns }, descending)
  const start: Clause | undefined = after
    ? compareSortKey(extended, [value, ...after], 'after')
    : [`${column} ${descending ? '<=' : '>='} ?`, value]
  return {
    conditions: [start, [`${column} ${descending ? '>=' : '<='} ?`, value]],
    orderBy: extended.orderBy,
  }
}

export function unionAll(selects: readonly string[], sort: Sort, limit: string): string {
  if (selects.length === 1) return selects.join()
  return `${selects.map((select) => `SELECT * FROM (${select}) AS found`).join(' UNION ALL ')} ${sort.orderBy} ${limit}`
}

/** A condition for rows after a sort key, or up to and including it. */
export function compareSortKey(
  { columns, descending }: Sort,
  key: SortKey | undefined,
  side: 'after' | 'until',
): Clause | undefined {
  if (key === undefined) return undefined
  // Where the key has null, so do all rows of the list: the other columns order them.
  const names = Object.keys(columns).filter((_, index) => key[index] !== null)
  const operator = side === 'after' ? (descending ? '<' : '>') : descending ? '>=' : '<='
  return [
    `(${names.join(', ')}) ${operator} (${names.map(() => '?').join(', ')})`,
    ...key.filter((value) => value !== null),
  ]
}

/** One condition for several: `column IN (…)` if all compare the same column. */
export function anyOf(clauses: readonly Clause[]): Clause {
  const [first] = clauses
  if (isEquality(first) && clauses.every((clause) => isEquality(clause) && clause.column === first.column))
    return [`${first.column} IN (?)`, clauses.map((clause) => (clause as Equality).value)]
  const conditions = clauses.map((clause) =>
    isEquality(clause) ? ([`${clause.column} = ?`, clause.value] as const) : clause,
  )
  return [`(${conditions.map(([sql]) => sql).join(' OR ')})`, ...conditions.flatMap(([, ...values]) => values)]
}
