// Counts the results of a check, and prints them line by line.

const startedAt = performance.now()
const say = (text: string) => process.stdout.write(`${text}\n`)
const secondsSince = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`

let passed = 0
let failed = 0
let skipped = 0

/** Runs one part of the check, and prints its result and duration. */
export async function part(name: string, run: () => Promise<string> | string): Promise<void> {
  const start = performance.now()
  const fault = await Promise.try(run).catch(String)
  if (fault === '') passed++
  else failed++
  say(`${fault === '' ? 'ok   ' : 'FAIL '} ${name} (${secondsSince(start)})${fault === '' ? '' : `\n${fault}`}`)
}

/** A part that counts its own tests. */
export async function testsPart(
  name: string,
  run: () => Promise<{ passed: number; failed: number; output: string }>,
): Promise<void> {
  const start = performance.now()
  say(`…     ${name}`)
  const done = await run().catch((error) => ({ passed: 0, failed: 1, output: String(error) }))
  passed += done.passed
  failed += done.failed
  if (done.failed > 0) say(done.output)
  const mark = done.failed === 0 ? 'ok   ' : 'FAIL '
  say(`${mark} ${name}: ${done.passed} passed, ${done.failed} failed (${secondsSince(start)})`)
}

/** Counts tests that could not run here. */
export function skip(what: string, count: number): void {
  skipped += count
  say(`skip  ${what}`)
}

export function note(text: string): void {
  say(`      ${text}`)
}

/** Prints the last line and sets the exit code. With CI=true a skipped test is a failure. */
export function finish(): never {
  const isCi = process.env.CI === 'true'
  if (isCi && skipped > 0) say('FAIL  With CI=true no test may be skipped.')
  note(`${secondsSince(startedAt)} in all`)
  say(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  process.exit(failed > 0 || (isCi && skipped > 0) ? 1 : 0)
}
