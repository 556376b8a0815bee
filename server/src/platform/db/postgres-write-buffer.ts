import type { Count, Insert, Queryable } from './database.ts'
import type { Value } from './value.ts'
import { addFromJson, insertFromJson, type Statement } from './writes.ts'

// Joins writes into one statement: each statement costs the node and the server about as much as the work it does.

export interface WriteBuffer {
  /** Holds a small write back, or sends any other statement after those held back. */
  statement(sql: string, params: readonly Value[]): void
  insert<Row extends object>(insert: Insert<Row>, rows: readonly Row[]): void
  add(count: Count, id: number, by: number): void
  /** Sends what is held back, as one statement. */
  flush(): void
  /** Drops what is held back. */
  clear(): void
}

/** What is held back for a table. */
type Held =
  | Statement
  | { readonly insert: Insert<never>; rows: object[] }
  | { readonly count: Count; readonly sums: Map<number, number> }

/** Collects writes of a transaction, one statement per table, so that they are sent as one before anything else. */
export function createWriteBuffer(db: Queryable, send: (sql: string, params: readonly Value[]) => void): WriteBuffer {
  const byTable = new Map<string, Held>()

  function statementOf(held: Held): Statement {
    if ('insert' in held) return insertFromJson(db, held.insert, held.rows as never[])
    return 'count' in held ? addFromJson(held.count, held.sums) : held
  }

  function flush(): void {
    if (byTable.size === 0) return
    const { sql, params } = merge([...byTable.values()].map(statementOf))
    byTable.clear()
    send(sql, params)
  }

  /** What is held back for this table, if it is of the same kind; anything else is sent. */
  function heldFor<H extends Held>(table: string, isSame: (held: Held) => held is H, create: () => H): H {
    const held = byTable.get(table)
    if (held && isSame(held)) return held
    if (held) flush()
    const added = create()
    byTable.set(table, added)
    return added
  }

  return {
    statement(sql, params) {
      const table = tableToMerge({ sql, params })
      if (table === undefined || byTable.has(table)) flush()
      if (table === undefined) send(sql, params)
      else byTable.set(table, { sql, params })
    },
    insert(insert, rows) {
      const isSame = (held: Held): held is Extract<Held, { rows: object[] }> =>
        'insert' in held && held.insert === insert
      const held = heldFor(insert.table, isSame, () => ({ insert, rows: [] as object[] }))
      // A statement cannot replace a row twice.
      if (insert.replaces && held.rows.length > 0) held.rows = withoutReplaced(held.rows, rows, insert.replaces)
      held.rows.push(...rows)
    },
    add(count, id, by) {
      const isSame = (held: Held): held is Extract<Held, { count: Count }> => 'count' in held && held.count === count
      const { sums } = heldFor(count.table, isSame, () => ({ count, sums: new Map() }))
      sums.set(id, (sums.get(id) ?? 0) + by)
    },
    flush,
    clear: () => byTable.clear(),
  }
}

function withoutReplaced(held: readonly object[], by: readonly object[], columns: readonly string[]): object[] {
  const keyOf = (row: object) => JSON.stringify(columns.map((column) => (row as Record<string, unknown>)[column]))
  const replaced = new Set(by.map(keyOf))
  return held.filter((row) => !replaced.has(keyOf(row)))
}

/** Statements with more parameters come in many sizes, and each combination would need another prepared statement. */
const paramsMax = 16

/** The table that a small write changes; undefined for a statement that cannot be merged. */
function tableToMerge({ sql, params }: Statement): string | undefined {
  return params.length > paramsMax ? undefined : /^(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/.exec(sql)?.[1]
}

/** Merged SQL by the SQL of its parts: built once, because nearly every change needs one. */
const mergedSql = new Map<string, string>()

/** One statement for writes to different tables. They do not see each other's changes. */
function merge(statements: readonly Statement[]): Statement {
  const key = statements.map(({ sql }) => sql).join(';')
  const sql = mergedSql.get(key) ?? mergeSql(statements)
  mergedSql.set(key, sql)
  return { sql, params: statements.flatMap(({ params }) => params) }
}

function mergeSql(statements: readonly Statement[]): string {
  let before = 0
  const texts = statements.map(({ sql, params }) => {
    const first = before
    before += params.length
    return sql.replace(/\$(\d+)/g, (_, number) => `$${first + Number(number)}`)
  })
  const last = texts.pop() ?? ''
  return texts.length === 0 ? last : `WITH ${texts.map((text, index) => `w${index} AS (${text})`).join(', ')} ${last}`
}
