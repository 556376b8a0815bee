// Runs test files in one process.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { processorSecondsOf } from './processor-time.ts'
import { readReport, type TestCase } from './test-report.ts'

export interface TestRun {
  readonly exitCode: number
  readonly output: string
  readonly cases: readonly TestCase[]
  /** Of the process and all that it started, without installing programs. */
  readonly processorSeconds: number
}

export interface TestRunOptions {
  readonly files: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly scratch: string
  /** Whether it is a failure if the product leaves something behind when the files have ended. */
  readonly nothingLeft?: boolean
  /** Only tests whose name matches. */
  readonly pattern?: string | undefined
  /** Where to write which lines ran. */
  readonly coverage?: string | undefined
}

let reports = 0

export async function runTests(options: TestRunOptions): Promise<TestRun> {
  const { files, env, timeoutMs, scratch, nothingLeft, pattern, coverage } = options
  const report = join(scratch, `report-${reports++}.xml`)
  const uncounted = `${report}.uncounted`
  const ended = await runProgram(
    [
      ...['bun', 'test', '--only-failures', '--timeout', String(timeoutMs)],
      // Processes that a failed test left running end with the tests.
      '--no-orphans',
      ...(nothingLeft ? ['--preload', './server/test/harness/run/nothing-left.ts'] : []),
      ...(pattern === undefined ? [] : ['--test-name-pattern', pattern]),
      ...(coverage === undefined ? [] : ['--coverage-reporter=lcov', `--coverage-dir=${coverage}`]),
      ...['--reporter=junit', `--reporter-outfile=${report}`],
      ...files.map((file) => `./${file}`),
    ],
    // No file has that many tests that take as long as they may, so it hangs.
    { env: { ...env, TESTS_UNCOUNTED: uncounted }, limitMs: 10 * timeoutMs },
  )
  // Without a report, there are no tests for this engine, or the process crashed.
  const cases = existsSync(report) ? readReport(readFileSync(report, 'utf8')) : []
  rmSync(report, { force: true })
  const uncountedSeconds = readNumbers(uncounted).reduce((sum, seconds) => sum + seconds, 0)
  const isUnmatched = pattern !== undefined && / matched 0 tests/.test(ended.output)
  return {
    ...ended,
    exitCode: isUnmatched ? 0 : ended.exitCode,
    cases,
    processorSeconds: Math.max(0, ended.processorSeconds - uncountedSeconds),
  }
}

const readNumbers = (file: string): number[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []

const sampleEveryMs = 1_000
/** A process that outlives the program may keep its output open. */
const outputGraceMs = 5_000

interface Environment {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly limitMs?: number
}

export async function runProgram(
  words: readonly string[],
  { env = {}, cwd = process.cwd(), limitMs }: Environment = {},
): Promise<Omit<TestRun, 'cases'>> {
  const child = Bun.spawn([...words], {
    cwd,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, NO_COLOR: '1', ...env },
    ...(limitMs !== undefined && { timeout: limitMs, killSignal: 'SIGKILL' as const }),
  })
  let seen = 0
  const sampling = setInterval(() => {
    seen = Math.max(seen, processorSecondsOf(child.pid))
  }, sampleEveryMs)
  const output = { stdout: '', stderr: '' }
  const reading = (['stdout', 'stderr'] as const).map(async (name) => {
    const decoder = new TextDecoder()
    for await (const chunk of child[name]) output[name] += decoder.decode(chunk, { stream: true })
  })
  const exitCode = await child.exited
  clearInterval(sampling)
  await Promise.race([Promise.all(reading), Bun.sleep(outputGraceMs)])
  const waitedFor = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6
  return { exitCode, output: output.stdout + output.stderr, processorSeconds: Math.max(seen, waitedFor) }
}
