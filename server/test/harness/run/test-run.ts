// Runs test files on one engine, in several processes.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readFileSeconds, readReport, type TestCase } from './test-report.ts'

export interface TestRun {
  readonly exitCode: number
  readonly output: string
  readonly cases: readonly TestCase[]
  readonly fileSeconds: readonly (readonly [file: string, seconds: number])[]
}

export interface TestRunOptions {
  readonly engine: 'sqlite' | 'postgres'
  readonly files: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly scratch: string
  /** Write each file's duration to the committed file of times, so that the slowest start first. */
  readonly updateTimes: boolean
  /** Where to write which lines ran. */
  readonly coverage?: string | undefined
}

/** Tests also wait for timers and disks, so each engine gets a process per core. */
const workers = Math.max(2, availableParallelism())

const none: TestRun = { exitCode: 0, output: '', cases: [], fileSeconds: [] }

export async function runTests(options: TestRunOptions): Promise<TestRun> {
  const { engine, files, env, timeoutMs, scratch, updateTimes, coverage } = options
  if (files.length === 0) return none
  const report = join(scratch, `${engine}.xml`)
  const { exitCode, output } = await runProgram(
    [
      ...['bun', 'test', '--only-failures', '--timeout', String(timeoutMs)],
      // Processes that a failed test left running end with the tests.
      '--no-orphans',
      ...[`--parallel=${workers}`, '--no-isolate', '--parallel-delay=0'],
      ...[`--timings=server/test/harness/run/test-times/${engine}.json`, ...(updateTimes ? ['--update-timings'] : [])],
      ...(coverage === undefined ? [] : ['--coverage-reporter=lcov', `--coverage-dir=${coverage}`]),
      ...['--reporter=junit', `--reporter-outfile=${report}`],
      ...files.map((file) => `./${file}`),
    ],
    env,
  )
  if (!existsSync(report)) {
    // Either the files have tests for another engine or for --torture only, or none of them can be loaded.
    return /^Ran 0 tests/m.test(output) ? none : { ...none, exitCode, output }
  }
  const xml = readFileSync(report, 'utf8')
  rmSync(report)
  return { exitCode, output, cases: readReport(xml), fileSeconds: readFileSeconds(xml) }
}

export async function runProgram(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
): Promise<{ exitCode: number; output: string }> {
  const child = Bun.spawn([...words], {
    cwd,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, NO_COLOR: '1', ...env },
  })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode, output: stdout + stderr }
}
