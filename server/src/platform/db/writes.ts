import type { Count, Insert, Queryable } from './database.ts'
import { byHundreds, placeholders } from './many.ts'
import type { Value } from './value.ts'

// Writes that a transaction joins with others of the same kind, so that a hundred rows cost about as many statements as one.

export interface Statement {
  readonly sql: string
  readonly params: readonly Value[]
}

const built = new WeakMap<object, Map<string, string>>()

/** The SQL of an insert or a count in some form, built once: each engine has forms of its own. */
const sqlOf = (definition: object, form: string, build: () => string): string =>
  built.getOrInsertComputed(definition, () => new Map()).getOrInsertComputed(form, build)

const onConflict = <Row>({ columns, replaces }: Insert<Row>): string => {
  if (!replaces) return ''
  const others = columns.filter((column) => !replaces.includes(column))
  return `ON CONFLICT (${replaces.join(', ')}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`
}

function computedOf<Row>(db: Queryable, { computed }: Insert<Row>) {
  const columns = computed?.(db) ?? {}
  return { names: Object.keys(columns), expressions: Object.values(columns) }
}

/** One statement per batch, with a parameter for each value. */
export function* insertStatements<Row extends object>(
  db: Queryable,
  insert: Insert<Row>,
  rows: readonly Row[],
): Generator<Statement> {
  const { table, columns } = insert
  for (const batch of byHundreds(rows)) {
    const sql = sqlOf(insert, `${batch.length}`, () => {
      const { names, expressions } = computedOf(db, insert)
      const values = placeholders(batch.length, columns.length)
      const all = expressions.length === 0 ? values : values.replaceAll(')', `, ${expressions.join(', ')})`)
      return `INSERT INTO ${table} (${[...columns, ...names].join(', ')}) VALUES ${all} ${onConflict(insert)}`
    })
    yield { sql, params: batch.flatMap((row) => columns.map((column) => row[column] as Value)) }
  }
}

/** One statement for any number of rows, which are its only parameter, so that it is prepared once. */
export function insertFromJson<Row extends object>(
  db: Queryable,
  insert: Insert<Row>,
  rows: readonly Row[],
): Statement {
  const { table, columns } = insert
  const sql = sqlOf(insert, 'json', () => {
    const { names, expressions } = computedOf(db, insert)
    return `INSERT INTO ${table} (${[...columns, ...names].join(', ')}) SELECT ${[...columns, ...expressions].join(', ')}
      FROM json_populate_recordset(NULL::${table}, $1::text::json) ${onConflict(insert)}`
  })
  return { sql, params: [JSON.stringify(rows)] }
}

export const addStatement = ({ table, key, column }: Count, id: Value, by: number): Statement => ({
  sql: `UPDATE ${table} SET ${column} = ${column} + $2 WHERE ${key} = $1`,
  params: [id, by],
})

/** Adds to several counts in one statement. */
export function addFromJson(count: Count, sums: ReadonlyMap<Value, number>): Statement {
  const { table, key, column } = count
  const sql = sqlOf(
    count,
    'json',
    () =>
      `UPDATE ${table} SET ${column} = ${table}.${column} + added.by
       FROM json_to_recordset($1::text::json) AS added(id bigint, by bigint) WHERE ${table}.${key} = added.id`,
  )
  return { sql, params: [JSON.stringify([...sums].map(([id, by]) => ({ id, by })))] }
}
