// Runs test files, those that failed once more at the end, and counts the results.
import { findFailures } from '../server/test/harness/run/test-report.ts'
import { runTests, type TestRunOptions } from '../server/test/harness/run/test-run.ts'
import type { Batch, Worker } from '../server/test/harness/run/test-workers.ts'
import { type BatchRun, commandFor, engineNames } from './check-results.ts'
import { addFault, addFlaky, addPassed, type Fault, note, printFailure } from './check-tally.ts'

interface Attempt extends BatchRun {
  readonly output: string
  readonly faults: readonly (Fault & { readonly file: string })[]
}

interface Database {
  readonly env: Readonly<Record<string, string>>
  /** Its processor time so far. */
  processorSeconds(): number
}

interface FileRunnerOptions extends Pick<TestRunOptions, 'env' | 'timeoutMs' | 'scratch' | 'nothingLeft' | 'pattern'> {
  readonly databaseFor: (batch: Batch, worker: Worker) => Database | Promise<Database>
  /** A new directory for which lines ran. */
  readonly coverage: () => string | undefined
  /** The command that files are added to. */
  readonly command: string
}

export interface FileRunner {
  readonly runs: readonly BatchRun[]
  run(batch: Batch, worker: Worker): Promise<void>
  /**
   * Call it when all others have ended: runs the files that failed again, alone. A test that passes now is reported as flaky, which
   * `npm run test:repeat` counts as failed. If more than `filesMax` files failed, that is no accident, so none runs again.
   */
  runFailed(worker: Worker, filesMax: number): Promise<void>
}

export function createFileRunner(options: FileRunnerOptions): FileRunner {
  const { env, databaseFor, coverage, command, ...others } = options
  const runs: BatchRun[] = []
  const failed: Attempt[] = []

  async function runFiles(batch: Batch, worker: Worker): Promise<Attempt> {
    const { engine, files } = batch
    const database = await databaseFor(batch, worker)
    const secondsBefore = database.processorSeconds()
    const ended = await runTests({ ...others, files, coverage: coverage(), env: { ...env, ...database.env } })
    const { exitCode, output, cases } = ended
    const faults = findFailures(files, cases, exitCode, output).map(({ file, name, error }) => ({
      file,
      name: [`${file} on ${engineNames[engine]}`, name].filter(Boolean).join(': '),
      error,
      command: commandFor(command, file, name),
    }))
    if (faults[0]) printFailure(faults[0].name, output)
    const processorSeconds = ended.processorSeconds + database.processorSeconds() - secondsBefore
    return { ...batch, cases, processorSeconds, output, faults }
  }

  function count(attempt: Attempt): void {
    runs.push(attempt)
    addPassed(attempt.cases.filter(({ outcome }) => outcome === 'passed').length)
    for (const fault of attempt.faults) addFault(fault)
  }

  return {
    runs,
    async run(batch, worker) {
      const attempt = await runFiles(batch, worker)
      if (attempt.faults.length > 0) failed.push(attempt)
      else count(attempt)
    },
    async runFailed(worker, filesMax) {
      const isAccident = failed.flatMap(failedFiles).length <= filesMax
      for (const attempt of failed) count(isAccident ? await runAgain(attempt, worker) : attempt)
    },
  }

  async function runAgain(attempt: Attempt, worker: Worker): Promise<Attempt> {
    const files = failedFiles(attempt)
    note(`again: ${files.join(' ')}`)
    const { cases, output, faults } = await runFiles({ ...attempt, files }, worker)
    if (faults.length === 0) for (const fault of attempt.faults) addFlaky(fault)
    const otherCases = attempt.cases.filter(({ file }) => !files.includes(file))
    return { ...attempt, cases: [...otherCases, ...cases], output, faults }
  }
}

/** A failure outside of tests can be that of each file in the process. */
const failedFiles = ({ files, faults }: Attempt): string[] =>
  files.filter((one) => faults.some(({ file }) => file.split(' ').includes(one)))
