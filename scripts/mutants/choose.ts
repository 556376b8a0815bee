// Chooses the tests for a mutant: those that reach its line, the closest and cheapest first, within a budget.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { budgetOf, type Engine, runsOnPostgres } from '../../server/test/harness/run/test-selection.ts'
import type { Coverage } from './coverage.ts'
import type { Mutant } from './mutant.ts'

export interface Run {
  readonly file: string
  readonly engine: Engine
  /** Its budget of processor time. */
  readonly ms: number
}

export const timeOf = (file: string, engine: Engine): number => 1_000 * budgetOf(file, engine).seconds

/** The folder with the tests of a source file. */
const testFolderOf = (file: string): string => {
  const [workspace = '', , folder = ''] = file.split('/')
  if (workspace !== 'server') return `${workspace}/test/`
  return folder.includes('.') ? 'server/test/start/' : `server/test/${folder}/`
}

/** What these files declare is described, and this test compares the description. */
const declarations = /\/(shapes|operations)\.ts$/
const descriptionTest = 'server/test/surfaces/description/openapi.test.ts'

const stem = (file: string): string => basename(file).split('.')[0]?.replace(/s$/, '') ?? ''

/** Such as `group-commit` and `sqlite-group-commit`. */
const haveSameName = (one: string, other: string): boolean => {
  const [short = '', long = ''] = [one, other].toSorted((a, b) => a.length - b.length)
  return long.startsWith(short) || long.endsWith(short)
}

const starters = new Map<string, boolean>()
/** Whether a test file starts a program, in which lines are reached without being recorded. */
const startsProgram = (file: string): boolean =>
  starters.getOrInsertComputed(file, () =>
    /harness\/(nodes|one-node|petstore|on-terminal|browser)\.ts|Bun\.spawn/.test(readFileSync(file, 'utf8')),
  )

export function chooseRuns(
  mutant: Mutant,
  tests: readonly string[],
  coverage: Coverage,
  budgetMs: number,
  /** Part of the path of tests to begin with. */
  first?: string,
): Run[] {
  const folder = testFolderOf(mutant.file)
  const reaches = (test: string) => coverage[test]?.lines?.[mutant.file]?.includes(mutant.line) ?? false
  // SQLite has no row locks.
  const isReached = mutant.rule !== 'lock removed' && tests.some(reaches)

  /** Lower is closer; undefined if a test cannot notice the mutant, as far as is known. */
  function distance(test: string): number | undefined {
    if (first && test.includes(first)) return -1
    const isNamesake = haveSameName(stem(test), stem(mutant.file))
    const isNear = test.startsWith(folder) || (test === descriptionTest && declarations.test(mutant.file))
    if (isReached && reaches(test)) return isNear && isNamesake ? 0 : isNear ? 1 : 3
    // Run in a browser, in another process or only on PostgreSQL.
    const isUnknown = !isReached || coverage[test]?.lines === undefined
    if (isNear && isUnknown) return isNamesake ? 0 : 2
    if (!isReached && (reaches(test) || test.startsWith('server/test/cluster/'))) return 3
    return isUnknown || startsProgram(test) ? 4 : undefined
  }

  const enginesOf = (test: string): readonly Engine[] => {
    if (!runsOnPostgres(test)) return ['sqlite']
    return isReached ? ['sqlite', 'postgres'] : ['postgres']
  }

  const runs = tests
    .flatMap((file) => {
      const far = distance(file)
      const engines = far === undefined ? [] : enginesOf(file)
      return engines.map((engine) => ({ file, engine, ms: timeOf(file, engine), far: far as number }))
    })
    .toSorted((one, other) => one.far - other.far || other.engine.localeCompare(one.engine) || one.ms - other.ms)
  return withinBudget(runs, budgetMs)
}

/** The first, and all that follow until the budget is used up. */
function withinBudget(runs: readonly Run[], budgetMs: number): Run[] {
  let used = 0
  return runs.filter(({ ms }, index) => {
    if (index > 0 && used + ms > budgetMs) return false
    used += ms
    return true
  })
}

/** Consecutive runs on one engine share a process, up to this much time. */
const batchMs = 10_000

export function inBatches(runs: readonly Run[]): Run[][] {
  const batches: Run[][] = []
  let used = 0
  for (const run of runs) {
    const last = batches.at(-1)
    if (last === undefined || last[0]?.engine !== run.engine || used + run.ms > batchMs) {
      batches.push([run])
      used = run.ms
    } else {
      last.push(run)
      used += run.ms
    }
  }
  return batches
}
