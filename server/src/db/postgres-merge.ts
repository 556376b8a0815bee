import type { Value } from './value.ts'

// Writes to different tables become one statement: to the node and to the server each statement costs about as much as its work.

export interface Statement {
  readonly sql: string
  readonly params: readonly Value[]
}

/** Statements with more come in many sizes, and each combination of sizes would be another prepared statement. */
const paramsMax = 16

/** The table that a small write changes; undefined for all that has to be a statement of its own. */
function tableOf({ sql, params }: Statement): string | undefined {
  return params.length > paramsMax ? undefined : /^(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/.exec(sql)?.[1]
}

/** Whether a write can join others: parts of one statement do not see what the others write, so no table is written twice. */
export function canJoin(others: readonly Statement[], statement: Statement): boolean {
  const table = tableOf(statement)
  return table !== undefined && others.every((other) => ![undefined, table].includes(tableOf(other)))
}

/** Merged texts by the texts they were made of: made once, for every order needs one. */
const merged = new Map<string, string>()

export function merge(statements: readonly Statement[]): Statement {
  const key = statements.map(({ sql }) => sql).join(';')
  const sql = merged.get(key) ?? mergeTexts(statements)
  merged.set(key, sql)
  return { sql, params: statements.flatMap(({ params }) => params) }
}

function mergeTexts(statements: readonly Statement[]): string {
  let before = 0
  const texts = statements.map(({ sql, params }) => {
    const first = before
    before += params.length
    return sql.replace(/\$(\d+)/g, (_, number) => `$${first + Number(number)}`)
  })
  const last = texts.pop() ?? ''
  return texts.length === 0 ? last : `WITH ${texts.map((text, index) => `w${index} AS (${text})`).join(', ')} ${last}`
}
