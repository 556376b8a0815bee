import type { Count, Insert, Queryable } from './database.ts'
import { byHundreds, placeholders } from './many.ts'
import type { Value } from './value.ts'

// Writes that a transaction joins with others of the same kind, so that a hundred rows cost about as many statements as one.

export interface Statement {
  readonly sql: string
  readonly params: readonly Value[]
}

const kept = new WeakMap<object, Map<string, string>>()

function keep(definition: object, form: string, build: () => string): string {
  const forms = kept.getOrInsertComputed(definition, () => new Map())
  return forms.getOrInsertComputed(form, build)
}

const onConflict = <Row>({ columns, replaces }: Insert<Row>): string => {
  if (!replaces) return ''
  const others = columns.filter((column) => !replaces.includes(column))
  return `ON CONFLICT (${replaces.join(', ')}) DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`
}

/** One statement per batch, with a parameter for each value. */
export function* insertStatements<Row extends object>(
  db: Queryable,
  insert: Insert<Row>,
  rows: readonly Row[],
): Generator<Statement> {
  const { table, columns } = insert
  for (const batch of byHundreds(rows)) {
    const sql = keep(insert, `${batch.length}`, () => {
      const computed = Object.entries(insert.computed?.(db) ?? {})
      const names = [...columns, ...computed.map(([name]) => name)].join(', ')
      const values = placeholders(batch.length, columns.length)
      const all =
        computed.length === 0 ? values : values.replaceAll(')', `, ${computed.map(([, sql]) => sql).join(', ')})`)
      return `INSERT INTO ${table} (${names}) VALUES ${all} ${onConflict(insert)}`
    })
    yield { sql, params: batch.flatMap((row) => columns.map((column) => row[column] as Value)) }
  }
}

/** One statement for any number of rows, which are its one parameter, so that it is prepared once. */
export function insertFromJson<Row extends object>(
  db: Queryable,
  insert: Insert<Row>,
  rows: readonly Row[],
): Statement {
  const { table, columns } = insert
  const sql = keep(insert, 'json', () => {
    const computed = Object.entries(insert.computed?.(db) ?? {})
    const names = [...columns, ...computed.map(([name]) => name)].join(', ')
    const values = [...columns, ...computed.map(([, sql]) => sql)].join(', ')
    return `INSERT INTO ${table} (${names}) SELECT ${values} FROM json_populate_recordset(NULL::${table}, $1::text::json) ${onConflict(insert)}`
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
  const sql = keep(
    count,
    'json',
    () =>
      `UPDATE ${table} SET ${column} = ${table}.${column} + added.by
       FROM json_to_recordset($1::text::json) AS added(id bigint, by bigint) WHERE ${table}.${key} = added.id`,
  )
  return { sql, params: [JSON.stringify([...sums].map(([id, by]) => ({ id, by })))] }
}
