// What the test files of a check did: counted, compared with their budgets, and printed.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type EngineCases, findSkipped } from '../server/test/harness/run/test-report.ts'
import { engines, type TestFile } from '../server/test/harness/run/test-selection.ts'
import type { Batch } from '../server/test/harness/run/test-workers.ts'
import { note, skip } from './check-tally.ts'

export interface BatchRun extends Batch, EngineCases {
  /** Of the tests, and of their PostgreSQL. */
  readonly processorSeconds: number
}

export const engineNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** The command that runs a test alone; without its name, the file. */
export function commandFor(script: string, file: string, name = '(unnamed)'): string {
  const command = `${script}${script.includes(' -- ') ? '' : ' --'} ${file}`
  if (name.endsWith('(unnamed)')) return command
  // For -t, the names of `describe` blocks and tests are joined by something else.
  const pattern = name.replaceAll(/[\\^$.*+?()[\]{}|']/g, '.').replaceAll(' > ', '.+')
  return `${command} -t '${pattern}'`
}

/** Processor time also depends on the load and on the browser, so only a multiple of the budget is a fault. */
const limitOf = (seconds: number) => 4 * seconds + 5

/** The files that took far more processor time than their budget. */
export function findBeyondBudget(runs: readonly BatchRun[]): string {
  return runs
    .filter(({ seconds, processorSeconds }) => processorSeconds > limitOf(seconds))
    .map(
      ({ files, engine, seconds, processorSeconds }) =>
        `${files.join(' ')} on ${engineNames[engine]}: ${processorSeconds.toFixed(1)} s; its budget is ${seconds.toFixed(1)} s`,
    )
    .join('\n')
}

interface Selection {
  readonly all: readonly TestFile[]
  readonly chosen: readonly TestFile[]
  /** Files that were to run on PostgreSQL, which cannot run here. */
  readonly withoutPostgres: readonly string[]
}

/** Counts tests that did not run on an engine where they should, by file, with what is missing here. */
export function countSkips(runs: readonly BatchRun[], testsMissing: string, selection: Selection): void {
  const { all, chosen, withoutPostgres } = selection
  const needs = new Map<string, string>()
  for (const line of existsSync(testsMissing) ? readFileSync(testsMissing, 'utf8').trim().split('\n') : []) {
    const [file = '', engine = '', what = ''] = line.split('\t')
    needs.set(`${relative('.', file)} ${engine}`, what)
  }
  const isAlsoElsewhere = (file: string) =>
    withoutPostgres.includes(file) || all.some((test) => test.file === file && !chosen.includes(test))
  const skipped = findSkipped(runs, (file, engine) => needs.has(`${file} ${engine}`), isAlsoElsewhere)
  for (const [file, cases] of Map.groupBy(skipped, ({ file }) => file)) {
    const need = engines.map((engine) => needs.get(`${file} ${engine}`)).find(Boolean)
    skip(
      `${file}: ${cases.length} (${need ? `needs ${need}` : cases.map(({ name }) => name).join('; ')})`,
      cases.length,
    )
  }
  for (const file of withoutPostgres) {
    // About as many as on SQLite.
    const count = runs.flatMap(({ cases }) => cases).filter((test) => test.file === file).length
    skip(`${file}: ${Math.max(1, count)} (needs PostgreSQL)`, Math.max(1, count))
  }
}

export function printSums(runs: readonly BatchRun[]): void {
  for (const engine of engines) {
    const onIt = runs.filter((run) => run.engine === engine)
    const passed = onIt.flatMap(({ cases }) => cases).filter(({ outcome }) => outcome === 'passed').length
    const seconds = onIt.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0)
    const files = onIt.flatMap(({ files }) => files).length
    note(`${engineNames[engine]}: ${passed} tests passed, ${files} files, ${seconds.toFixed(1)} s of processor time`)
  }
}

export function printMostExpensive(runs: readonly BatchRun[]): void {
  note('The most expensive files, in seconds of processor time:')
  const sorted = runs.toSorted((one, other) => other.processorSeconds - one.processorSeconds)
  for (const { files, engine, processorSeconds } of sorted.slice(0, 10))
    note(`${processorSeconds.toFixed(1).padStart(6)} s  ${files.join(' ')} on ${engineNames[engine]}`)
}

/** Prints what a long run did, one line per test. */
export function printTests(runs: readonly BatchRun[]): void {
  for (const { name, seconds, outcome } of runs.flatMap(({ cases }) => cases)) {
    if (outcome !== 'skipped') note(`${seconds.toFixed(1).padStart(8)} s  ${name}`)
  }
}
