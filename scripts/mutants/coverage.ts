// Which lines each test file reaches, recorded once and kept: a test file is recorded again when it changes.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../server/test/harness/run/test-run.ts'
import { addConsole } from '../coverage-console.ts'
import { addLcov, type Lines as Ran } from '../coverage-lines.ts'
import type { Tree } from './tree.ts'

/** By source file, the lines that ran. */
type Lines = Readonly<Record<string, readonly number[]>>

interface Recorded {
  readonly hash: string
  /** Absent if the file fails unchanged, or cannot run in a copy. */
  readonly lines?: Lines
}

export type Coverage = Readonly<Record<string, Recorded>>

const hashOf = (file: string): string => Bun.hash(readFileSync(file)).toString(36)

/** Records what is not recorded yet, on SQLite, and returns all of it. */
export async function recordCoverage(
  tests: readonly string[],
  tree: Tree,
  env: Readonly<Record<string, string>>,
  keptIn: string,
): Promise<Coverage> {
  const kept: Record<string, Recorded> = existsSync(keptIn) ? JSON.parse(readFileSync(keptIn, 'utf8')) : {}
  const coverage: Record<string, Recorded> = {}
  for (const [index, file] of tests.entries()) {
    const hash = hashOf(file)
    const known = kept[file]
    if (known?.hash !== hash) process.stdout.write(`      lines reached by ${file} (${index + 1} of ${tests.length})\n`)
    coverage[file] = known?.hash === hash ? known : { hash, ...(await linesOf(file, tree, env)) }
    writeFileSync(keptIn, JSON.stringify({ ...kept, ...coverage }))
  }
  return coverage
}

async function linesOf(file: string, tree: Tree, env: Readonly<Record<string, string>>): Promise<{ lines?: Lines }> {
  const directory = join(tree.path, 'coverage')
  const inBrowser = join(directory, 'browser')
  mkdirSync(inBrowser, { recursive: true })
  const words = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${directory}`]
  const { exitCode } = await runProgram(['bun', 'test', '--timeout', '120000', '--no-orphans', ...words, `./${file}`], {
    env: { ...env, BROWSER_COVERAGE: inBrowser },
    cwd: tree.path,
  })
  const report = join(directory, 'lcov.info')
  try {
    if (exitCode !== 0 || !existsSync(report)) return {}
    const lines: Ran = new Map()
    addLcov(lines, readFileSync(report, 'utf8'))
    if (file.startsWith('console/')) await addConsole(lines, inBrowser, directory)
    return { lines: linesThatRan(lines) }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const linesThatRan = (lines: Ran): Lines =>
  Object.fromEntries(
    [...lines]
      .filter(([file]) => /^(server|sdk|cli|console)\/src\//.test(file))
      .map(([file, known]) => [file, [...known].flatMap(([line, ran]) => (ran ? [line] : []))]),
  )
