// Prints which share of the lines the tests ran, by folder: both engines and the browser together.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { note } from './check-tally.ts'

const wantedPercent = 90
const sources = /^(server|sdk|cli|console)\/src\/.*\.tsx?$/

export async function printCoverage(scratch: string, lcovDirectories: readonly string[], recorded: string) {
  const lines: Lines = new Map()
  for (const directory of lcovDirectories) {
    const file = join(directory, 'lcov.info')
    if (existsSync(file)) addLcov(lines, readFileSync(file, 'utf8'))
  }
  await addConsole(lines, recorded, scratch)

  const rows = [...lines].filter(([file]) => sources.test(file))
  const byFolder = Map.groupBy(rows, ([file]) => dirname(file))
  const percentOf = (some: typeof rows) => {
    const all = some.flatMap(([, each]) => [...each.values()])
    return { percent: (100 * all.filter(Boolean).length) / Math.max(1, all.length), count: all.length }
  }
  const print = (name: string, some: typeof rows) => {
    const { percent, count } = percentOf(some)
    const mark = percent < wantedPercent ? '  under 90 %' : ''
    note(`${percent.toFixed(1).padStart(6)} %  ${String(count).padStart(6)} lines  ${name}${mark}`)
  }
  for (const [folder, some] of [...byFolder].toSorted()) print(folder, some)
  for (const root of ['server', 'judge', 'sdk', 'cli', 'console'])
    print(
      root,
      rows.filter(([file]) => file.startsWith(root)),
    )

  const isListed = (file: string) => lines.has(file) || file.endsWith('.d.ts')
  const unloaded = ['server', 'judge', 'sdk', 'cli', 'console']
    .flatMap((root) => [...new Bun.Glob(`${root}/src/**/*.{ts,tsx}`).scanSync()])
    .filter((file) => !isListed(file))
    .toSorted()
  note('Not counted: what runs only in processes that tests start, and scripts of the documentation pages.')
  note(`Never loaded by a test itself, or without code: ${unloaded.join(', ') || 'none'}`)
}

/** Which lines of each file can run, and whether they did. */
type Lines = Map<string, Map<number, boolean>>

/** Adds what one run saw to what others saw. */
function addLine(lines: Lines, file: string, line: number, ran: boolean): void {
  const known = lines.getOrInsertComputed(file, () => new Map())
  known.set(line, ran || known.get(line) === true)
}

/** Adds the lines of an lcov file, such as Bun writes. */
function addLcov(lines: Lines, lcov: string): void {
  let file = ''
  for (const record of lcov.split('\n')) {
    const [, kind, value = ''] = /^(SF|DA):(.*)$/.exec(record) ?? []
    if (kind === 'SF') file = value
    if (kind !== 'DA') continue
    const [line, times] = value.split(',').map(Number)
    addLine(lines, file, line as number, (times as number) > 0)
  }
}

// The lines of the console that ran in the browser. Chromium reports them for the bundle, whose source map leads back to the files.

const source = 'console/src'

/** A script as a page ran it: V8's ranges, the outer before the inner. */
interface Ran {
  readonly length: number
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
  }[]
}

/** Adds the lines of `console/src`, from the files that the pages of a test run left in `recorded`. */
async function addConsole(lines: Lines, recorded: string, scratch: string): Promise<void> {
  const { code, map } = await bundleWithMap(join(scratch, 'console'))
  const ran = new Uint8Array(code.length)
  for (const file of readdirSync(recorded)) {
    const scripts = JSON.parse(readFileSync(join(recorded, file), 'utf8')) as Ran[]
    for (const script of scripts.filter(({ length }) => length === code.length)) mark(ran, script)
  }
  const lineStarts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)]
  for (const { line, column, file: index, sourceLine } of segmentsOf(map.mappings)) {
    const file = relative('.', resolve(scratch, 'console', map.sources[index] ?? ''))
    if (file.startsWith(`${source}/`)) {
      addLine(lines, file, sourceLine + 1, ran[(lineStarts[line] ?? 0) + column] === 1)
    }
  }
}

/** The script that the service serves, with its map. */
async function bundleWithMap(outdir: string) {
  const words = ['build', `${source}/main.tsx`, '--production', '--target=browser', '--jsx-import-source=preact']
  const child = Bun.spawn([process.execPath, ...words, '--sourcemap=external', `--outdir=${outdir}`], {
    stdout: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error('The console cannot be bundled.')
  const map = JSON.parse(readFileSync(join(outdir, 'main.js.map'), 'utf8')) as { sources: string[]; mappings: string }
  const code = readFileSync(join(outdir, 'main.js'), 'utf8').replace(/\n\/\/# debugId=\w+\n$/, '')
  return { code, map }
}

/** Marks what ran in one page. Ranges inside others correct them, so each page is marked separately. */
function mark(ran: Uint8Array, { functions }: Ran): void {
  const here = new Uint8Array(ran.length)
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
    here.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  }
  for (let offset = 0; offset < ran.length; offset++) if (here[offset]) ran[offset] = 1
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The numbers of a segment: base 64, five bits a digit, the sign last. */
function decode(segment: string): number[] {
  const numbers: number[] = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = digits.indexOf(digit)
    value += (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return numbers
}

/** Where each piece of the script comes from. Numbers are relative to those before; columns start again on each line. */
function* segmentsOf(mappings: string) {
  let [file, sourceLine] = [0, 0]
  for (const [line, segments] of mappings.split(';').entries()) {
    let column = 0
    for (const segment of segments.split(',')) {
      const [columns, files, sourceLines] = decode(segment)
      if (columns === undefined) continue
      column += columns
      if (files === undefined || sourceLines === undefined) continue
      file += files
      sourceLine += sourceLines
      yield { line, column, file, sourceLine }
    }
  }
}
