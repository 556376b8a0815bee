// Prints which share of the lines the tests ran, by folder: both engines and the browser together.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { note } from './check-tally.ts'
import { addConsole } from './coverage-console.ts'
import { addLcov, type Lines } from './coverage-lines.ts'

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
  for (const root of ['server', 'sdk', 'cli', 'console'])
    print(
      root,
      rows.filter(([file]) => file.startsWith(root)),
    )

  const isListed = (file: string) => lines.has(file) || file.endsWith('.d.ts')
  const unloaded = ['server', 'sdk', 'cli', 'console']
    .flatMap((root) => [...new Bun.Glob(`${root}/src/**/*.{ts,tsx}`).scanSync()])
    .filter((file) => !isListed(file))
    .toSorted()
  note('Not counted: what runs only in processes that tests start, and scripts of the documentation pages.')
  note(`Never loaded by a test itself, or without code: ${unloaded.join(', ') || 'none'}`)
}
