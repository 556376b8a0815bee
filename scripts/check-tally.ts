// Counts the results of a check, and prints them line by line.
import { describeFailures } from '../server/test/harness/run/test-report.ts'
import type { TestRun } from '../server/test/harness/run/test-run.ts'

const startedAt = performance.now()
const say = (text: string) => process.stdout.write(`${text}\n`)
const secondsSince = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`

let passed = 0
let skipped = 0
/** Printed again at the end: what is above them may be thousands of lines long. */
const failures: string[] = []

/** Runs one part of the check, and prints its result and duration. */
export async function part(name: string, run: () => Promise<string> | string): Promise<void> {
  const start = performance.now()
  const fault = await Promise.try(run).catch(String)
  if (fault === '') passed++
  else failures.push(name)
  say(`${fault === '' ? 'ok   ' : 'FAIL '} ${name} (${secondsSince(start)})${fault === '' ? '' : `\n${fault}`}`)
}

/** A part that counts its own tests. */
export async function testsPart(name: string, runTests: () => Promise<TestRun>): Promise<void> {
  const start = performance.now()
  say(`…     ${name}`)
  const crashed = (error: unknown) => ({ exitCode: 1, cases: [], output: String(error) })
  const { exitCode, cases, output } = await runTests().catch(crashed)
  const count = cases.filter(({ outcome }) => outcome === 'passed').length
  const described = describeFailures(cases, output)
  // A file that cannot be loaded has no test that failed.
  const found = exitCode !== 0 && described.length === 0 ? [name] : described.map((failure) => `${name}: ${failure}`)
  passed += count
  failures.push(...found)
  if (found.length > 0) say(output)
  const mark = found.length === 0 ? 'ok   ' : 'FAIL '
  say(`${mark} ${name}: ${count} passed, ${found.length} failed (${secondsSince(start)})`)
}

/** Counts tests that could not run here. */
export function skip(what: string, count: number): void {
  skipped += count
  say(`skip  ${what}`)
}

export function note(text: string): void {
  say(`      ${text}`)
}

/** Prints what failed and the last line, and sets the exit code. With CI=true a skipped test is a failure. */
export function finish(): never {
  const isCi = process.env.CI === 'true'
  if (isCi && skipped > 0) say('FAIL  With CI=true no test may be skipped.')
  for (const failure of failures) say(`FAIL  ${failure}`)
  note(`${secondsSince(startedAt)} in all`)
  say(`${passed} passed, ${failures.length} failed, ${skipped} skipped`)
  process.exit(failures.length > 0 || (isCi && skipped > 0) ? 1 : 0)
}
