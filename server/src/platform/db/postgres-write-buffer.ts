import type { Value } from './value.ts'

// Merges writes to different tables into one statement: each statement costs the node and the server about as much as its work.

interface Statement {
  readonly sql: string
  readonly params: readonly Value[]
}

export interface WriteBuffer {
  /** Holds a small write back, or sends any other statement after those held back. */
  add(sql: string, params: readonly Value[]): void
  /** Sends what is held back, as one statement. */
  flush(): void
  /** Drops what is held back. */
  clear(): void
}

/** Collects writes of a transaction, one per table, so that they are sent as one statement before anything else. */
export function createWriteBuffer(send: (sql: string, params: readonly Value[]) => void): WriteBuffer {
  const byTable = new Map<string, Statement>()
  function flush(): void {
    if (byTable.size === 0) return
    const { sql, params } = merge([...byTable.values()])
    byTable.clear()
    send(sql, params)
  }
  return {
    add(sql, params) {
      const statement = { sql, params }
      const table = tableToMerge(statement)
      if (table === undefined || byTable.has(table)) flush()
      if (table === undefined) send(sql, params)
      else byTable.set(table, statement)
    },
    flush,
    clear: () => byTable.clear(),
  }
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
