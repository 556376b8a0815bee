import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Recorded } from '../harness/run/record-statements.ts'
import { runService } from '../harness/run/run-service.ts'

/** PostgreSQL compiles what it thinks costs more, unless it is told not to. */
const costMax = 100_000

interface Explained {
  readonly Plan: PlanNode
  /** There when the statement would be compiled. */
  readonly JIT?: object
}

interface PlanNode {
  readonly 'Total Cost': number
  /** Said by PostgreSQL 18 of a kind of scan or join that the session is told not to use. */
  readonly Disabled?: boolean
  readonly Plans?: readonly PlanNode[]
}

/** What is wrong with the plans of statements on a fresh shop, and how many plans were read. */
export async function readPlans(databaseUrl: string, statements: readonly Recorded[]) {
  const faults: string[] = []
  let plans = 0
  for (const [settings, texts] of groupBySettings(statements)) {
    await using sql = new SQL(databaseUrl, { max: 1 })
    await sql.unsafe(settings)
    await sql.unsafe('SET plan_cache_mode = force_generic_plan')
    for (const text of texts) {
      const explained = await explain(sql, text)
      if (!explained) continue
      plans++
      const fault = faultOf(explained)
      if (fault) faults.push(`${fault}: ${text}`)
    }
  }
  return { faults, plans }
}

function groupBySettings(statements: readonly Recorded[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { settings, sql } of statements) {
    if (settings.includes('$')) continue
    groups.set(settings, [...(groups.get(settings) ?? []), sql])
  }
  return groups
}

/** The plan for any values; undefined for what has none, or is of a schema that there is no more. */
async function explain(sql: SQL, text: string): Promise<Explained | undefined> {
  if (!/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)) return undefined
  const parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const values = parameters === 0 ? '' : `(${Array(parameters).fill('NULL').join(', ')})`
  try {
    await sql.unsafe(`PREPARE planned AS ${text}`)
  } catch {
    return undefined
  }
  try {
    const [row] = await sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE planned${values}`)
    const plan = row['QUERY PLAN'] as string | [Explained]
    return (typeof plan === 'string' ? (JSON.parse(plan) as [Explained]) : plan)[0]
  } finally {
    await sql.unsafe('DEALLOCATE planned')
  }
}

function faultOf({ Plan, JIT }: Explained): string | undefined {
  if (JIT) return 'compiled'
  if (Plan['Total Cost'] > costMax) return `costs ${Math.round(Plan['Total Cost'])}`
  return isDisabled(Plan) ? 'needs what its session is told not to use' : undefined
}

const isDisabled = ({ Disabled = false, Plans = [] }: PlanNode): boolean => Disabled || Plans.some(isDisabled)

/** The same of statements that were recorded while tests ran, on a shop of their own. Says what is wrong, or ''. */
export async function faultsOnFreshShop(serverUrl: string, recorded: readonly Recorded[]): Promise<string> {
  const name = `petstore_plans_${process.pid}`
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await using server = new SQL(serverUrl, { max: 1 })
  await server.unsafe(`CREATE DATABASE ${name}`)
  try {
    await using service = runService({ env: { DATABASE_URL: url.href } })
    await service.ready
    const isOfTests = statementsIn('server/test')
    const { faults, plans } = await readPlans(
      url.href,
      recorded.filter(({ sql }) => !isOfTests(sql)),
    )
    return plans === 0 ? 'No plan was read.' : faults.join('\n')
  } finally {
    await server.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
  }
}

/** Whether a statement stands in the files of a folder: tests look into the database over the service's own connections. */
function statementsIn(folder: string): (sql: string) => boolean {
  const literal = /(['"`])((?:SELECT|INSERT|UPDATE|DELETE|WITH)\b(?:(?!\1)[\s\S])*)\1/g
  const patterns: RegExp[] = []
  for (const path of new Bun.Glob('**/*.ts').scanSync(folder)) {
    for (const [, , text = ''] of readFileSync(join(folder, path), 'utf8').matchAll(literal)) {
      const parts = text.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      patterns.push(new RegExp(`^${parts.join('[\\s\\S]*')}$`))
    }
  }
  return (sql) => patterns.some((pattern) => pattern.test(sql))
}
