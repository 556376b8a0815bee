// Counts the results of a check, and prints them line by line.

const startedAt = performance.now()
const say = (text: string) => process.stdout.write(`${text}\n`)
const secondsSince = (start: number) => `${((performance.now() - start) / 1000).toFixed(1)} s`

export interface Fault {
  readonly name: string
  readonly error: string
  /** Runs what failed alone. */
  readonly command: string
}

let passed = 0
let skipped = 0
/** Printed again at the end: what is above them may be thousands of lines long. */
const faults: Fault[] = []
/** Tests that passed at the second try. */
const flaky: Fault[] = []

/** Runs one part of the check, and prints its result and duration. It fails if `run` returns a text. */
export async function part(name: string, command: string, run: () => Promise<string> | string): Promise<void> {
  const start = performance.now()
  const error = await Promise.try(run).catch(String)
  if (error !== '') {
    printFailure(name, error)
    return addFault({ name, error, command })
  }
  passed++
  say(`ok    ${name} (${secondsSince(start)})`)
}

/** Prints all that is known about a failure, when it happens. */
export function printFailure(name: string, output: string): void {
  say(`FAIL  ${name}\n${output}`)
}

export const addFault = (fault: Fault): void => void faults.push(fault)

export const addFlaky = (fault: Fault): void => void flaky.push(fault)

export function addPassed(count: number): void {
  passed += count
}

/** Counts tests that could not run here. */
export function skip(what: string, count: number): void {
  skipped += count
  say(`skip  ${what}`)
}

export function note(text: string): void {
  say(`      ${text}`)
}

const errorLinesMax = 12

function printShort(label: string, { name, error, command }: Fault): void {
  const lines = error.split('\n').filter((line) => line.trim() !== '')
  say([`${label} ${name}`, ...lines.slice(0, errorLinesMax), `run alone: ${command}`].join('\n      '))
}

/** Prints what failed and the last line, and sets the exit code. With CI=true a skipped test is a failure. */
export function finish(): never {
  const isCi = process.env.CI === 'true'
  if (isCi && skipped > 0) say('FAIL  With CI=true no test may be skipped.')
  for (const fault of flaky) printShort('FLAKY', fault)
  for (const fault of faults) printShort('FAIL ', fault)
  note(`${secondsSince(startedAt)} in all`)
  const failed = [`${faults.length} failed`, ...(flaky.length > 0 ? [`${flaky.length} flaky`] : [])]
  say([`${passed} passed`, ...failed, `${skipped} skipped`].join(', '))
  process.exit(faults.length > 0 || (isCi && skipped > 0) ? 1 : 0)
}
