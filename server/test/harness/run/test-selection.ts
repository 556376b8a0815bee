// Finds the test files, and decides which engines each runs on.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Files whose tests are the same on both engines, or about SQLite files. Tests skipped on SQLite run on no engine, and are counted. */
const onSqliteOnly = [
  'cli/test/{api,compile,completion,help,install,login,refusals,shop,terminal}.test.ts',
  'console/test/*.test.ts',
  'sdk/test/{calls,complete,errors,import,package,readme,retries,surface,webhooks}.test.ts',
  'server/test/surfaces/description/openapi.test.ts',
  'server/test/platform/db/{backup,condition,file-modes,locked,serving}.test.ts',
  'server/test/surfaces/http/garbage.test.ts',
  'server/test/platform/limits/crash.test.ts',
  'server/test/surfaces/pages/*.test.ts',
].map((pattern) => new Bun.Glob(pattern))

/** Code that reads the engine under test. */
const engineWord = /TEST_ENGINE|TEST_DATABASE_URL/

export function findTestFiles(roots: readonly string[]): string[] {
  const pattern = new Bun.Glob('**/*.test.ts')
  return (
    roots
      .flatMap((root) => [...pattern.scanSync(root)].map((path) => join(root, path)))
      // Generated clients have their own packages and command: npm run clients.
      .filter((path) => !path.includes('node_modules') && !path.startsWith('server/test/surfaces/description/clients/'))
      .toSorted()
  )
}

/** Whether the engine matters to a file: it, or a test file that it imports, reads the engine under test. */
export function runsOnPostgres(file: string): boolean {
  return !onSqliteOnly.some((glob) => glob.match(file)) && readsEngine(file, new Set())
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
