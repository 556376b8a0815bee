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

/** Runs one part of the check, and prints its result and duration. It fails if `run` returns a text. */
export async function part(name: string, command: string, run: () => Promise<string> | string): Promise<void> {
  const start = performance.now()
  const error = await Promise.try(run).catch(String)
  if (error !== '') return addFault({ name, error, command })
  passed++
  say(`ok    ${name} (${secondsSince(start)})`)
}

/** Adds a failure, and prints what is known about it. */
export function addFault(fault: Fault, output = fault.error): void {
  faults.push(fault)
  say(`FAIL  ${fault.name}\n${output}`)
}

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

/** Prints what failed and the last line, and sets the exit code. With CI=true a skipped test is a failure. */
export function finish(): never {
  const isCi = process.env.CI === 'true'
  if (isCi && skipped > 0) say('FAIL  With CI=true no test may be skipped.')
  for (const { name, error, command } of faults) {
    const lines = error.split('\n').filter((line) => line.trim() !== '')
    say([`FAIL  ${name}`, ...lines.slice(0, errorLinesMax), `run alone: ${command}`].join('\n      '))
  }
  note(`${secondsSince(startedAt)} in all`)
  say(`${passed} passed, ${faults.length} failed, ${skipped} skipped`)
  process.exit(faults.length > 0 || (isCi && skipped > 0) ? 1 : 0)
}
