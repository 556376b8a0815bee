import type { Queryable } from '../../src/platform/db/database.ts'

type Params = NonNullable<Parameters<Queryable['query']>[1]>

/** Runs `find` and inspects each statement that it sends. */
export async function watchStatements(
  db: Queryable,
  find: (db: Queryable) => Promise<unknown>,
  look: (sql: string, params: Params) => Promise<void>,
): Promise<void> {
  await find({
    dialect: db.dialect,
    async query<R>(sql: string, params?: Params) {
      await look(sql, params ?? [])
      return db.query<R>(sql, params)
    },
  })
}

interface PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Node Type': string
  readonly Plans?: readonly PlanNode[]
}

const visitedIn = (node: PlanNode): number => {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  const inner = (node.Plans ?? []).reduce((sum, plan) => sum + visitedIn(plan), 0)
  return inner + (/Scan/.test(node['Node Type']) && !/CTE|Subquery|Bitmap Index/.test(node['Node Type']) ? own : 0)
}

/** How many rows PostgreSQL reads for the statements of `find`, matching or not. */
export async function visitedRows(db: Queryable, find: (db: Queryable) => Promise<unknown>): Promise<number> {
  let rows = 0
  await watchStatements(db, find, async (sql, params) => {
    const [row] = await db.query<Record<string, unknown>>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql}`, params)
    const plan = row?.['QUERY PLAN'] as string | [{ Plan: PlanNode }]
    const [{ Plan }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: PlanNode }]
    rows += visitedIn(Plan)
  })
  return rows
}
