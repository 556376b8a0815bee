// Finds the test files, and decides in which part and on which engines each runs.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import listed from './test-files.json' with { type: 'json' }

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]
/** `npm test` runs the quick part; `npm run test:all` runs the whole, which contains it. */
export type Part = 'quick' | 'whole'

/** One file on one engine. */
export interface TestFile {
  readonly file: string
  readonly engine: Engine
  readonly part: Part
  /** The processor time that it may take, of its PostgreSQL too. */
  readonly seconds: number
}

/** By file, part and engine: the budget in seconds. */
type Listed = Readonly<Record<string, Partial<Record<Part, Partial<Record<Engine, number>>>>>>

const roots = ['server', 'judge', 'sdk', 'cli', 'console', 'scripts']
/** Generated clients have their own packages; npm test -- clients runs them. */
export const clientsRoot = 'server/test/surfaces/description/clients'
/** For a file that is not listed yet. */
const secondsByDefault = 5

/** Files whose tests are the same on both engines, or about SQLite files. Tests skipped on SQLite run on no engine, and are counted. */
const onSqliteOnly = [
  'cli/test/{api,challenges,ci,compile,completion,executables,help,install,judged,login,mcp,other-languages,rejections,sandbox,sandbox-run,shop,terminal}.test.ts',
  'console/test/*.test.ts',
  'scripts/**/*.test.ts',
  'server/test/harness/**/*.test.ts',
  'sdk/test/{calls,complete,errors,import,package,readme,retries,surface,testing,webhooks}.test.ts',
  'server/test/contract/parameters.test.ts',
  'server/test/surfaces/description/*.test.ts',
  'server/test/platform/db/{backup,condition,file-modes,locked,serving}.test.ts',
  'server/test/surfaces/http/{garbage,unreadable}.test.ts',
  'server/test/platform/limits/crash.test.ts',
  'server/test/start/process.test.ts',
  'server/test/surfaces/pages/*.test.ts',
  // A sandbox is always a SQLite file.
  'server/test/sandbox/*.test.ts',
].map((pattern) => new Bun.Glob(pattern))

/** Code that reads the engine under test. */
const engineWord = /TEST_ENGINE|TEST_DATABASE_URL/

export function findTestFiles(): string[] {
  const pattern = new Bun.Glob('**/*.test.ts')
  return roots
    .flatMap((root) => [...pattern.scanSync(root)].map((path) => join(root, path)))
    .filter((path) => !path.includes('node_modules') && !path.startsWith(`${clientsRoot}/`))
    .toSorted()
}

/** Whether the engine matters to a file: it, or a test file that it imports, reads the engine under test. */
export function runsOnPostgres(file: string): boolean {
  return !onSqliteOnly.some((glob) => glob.match(file)) && readsEngine(file, new Set())
}

/** Every file on every engine that matters to it. */
export function findTests(): TestFile[] {
  return findTestFiles().flatMap((file) =>
    engines
      .filter((engine) => engine === 'sqlite' || runsOnPostgres(file))
      .map((engine) => ({ file, engine, ...budgetOf(file, engine) })),
  )
}

export function budgetOf(file: string, engine: Engine): Pick<TestFile, 'part' | 'seconds'> {
  const { quick, whole } = (listed as Listed)[file] ?? {}
  const seconds = quick?.[engine]
  return seconds === undefined
    ? { part: 'whole', seconds: whole?.[engine] ?? secondsByDefault }
    : { part: 'quick', seconds }
}

/** Files that crash processes, or run many of them. */
const tortureFolders = ['server/test/cluster', 'server/test/model', 'server/test/torture', 'cli/test/torture']
export const isInTorture = (file: string): boolean => tortureFolders.some((folder) => file.startsWith(folder))

/** Whether a path contains one of these words. Torture must be named by its folder. */
export function isNamedBy(words: readonly string[], file: string): boolean {
  const folder = tortureFolders.find((folder) => file.startsWith(folder)) ?? ''
  return words.some((word) => file.includes(word) && word.includes(basename(folder)))
}

function readsEngine(file: string, known: Set<string>): boolean {
  if (known.has(file) || !existsSync(file)) return false
  known.add(file)
  const text = readFileSync(file, 'utf8')
  if (engineWord.test(text)) return true
  const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path as string)),
  )
  return imported.some((path) => !path.includes('/src/') && readsEngine(path, known))
}
