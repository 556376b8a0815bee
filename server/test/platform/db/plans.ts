import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Recorded } from '../../harness/run/record-statements.ts'
import { runService } from '../../harness/run/run-service.ts'

/** By default PostgreSQL compiles statements above this cost. */
const costMax = 100_000

interface Explained {
  readonly Plan: PlanNode
  /** Present if the statement would be compiled. */
  readonly JIT?: object
}

interface PlanNode {
  readonly 'Total Cost': number
  /** Reported by PostgreSQL 18 for a scan or join that the session's settings disable. */
  readonly Disabled?: boolean
  readonly Plans?: readonly PlanNode[]
}

/** Returns the faults in the plans of statements on a new shop, and how many plans were read. */
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

/** The generic plan; undefined for a statement without one, or of an older schema. */
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
  return isDisabled(Plan) ? 'needs a scan or join that its session disables' : undefined
}

const isDisabled = ({ Disabled = false, Plans = [] }: PlanNode): boolean => Disabled || Plans.some(isDisabled)

/** Checks the statements recorded during the tests on a new shop. Returns the faults, or ''. */
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

/** Recognizes statements that the files of a folder contain: tests use the service's connections too. */
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
