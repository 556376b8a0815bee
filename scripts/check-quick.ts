// For daily work: format, types, the import rules, and the tests of the folders in which something changed since main, on SQLite.
import { existsSync } from 'node:fs'
import { createRunDirectory } from '../server/test/harness/run/run-directory.ts'
import { runProgram, runTests } from '../server/test/harness/run/test-run.ts'
import { findTestFiles } from '../server/test/harness/run/test-selection.ts'
import { makeSqliteTemplate } from '../server/test/harness/run/test-templates.ts'
import { finish, part, testsPart } from './check-tally.ts'

const scratch = createRunDirectory()

async function changedFiles(): Promise<string[]> {
  const lines = async (...words: string[]) => (await runProgram(['git', ...words])).output.split('\n').filter(Boolean)
  const [base = 'HEAD'] = await lines('merge-base', 'main', 'HEAD')
  const isCommit = /^[0-9a-f]{40,64}$/.test(base)
  return [
    ...(await lines('diff', '--name-only', isCommit ? base : 'HEAD')),
    ...(await lines('ls-files', '--others', '--exclude-standard')),
  ]
}

/** A changed test file, or for a source file the tests in the folder of the same name. */
function testsOf(file: string, all: readonly string[]): string[] {
  if (file.endsWith('.test.ts')) return all.filter((test) => test === file)
  const folder = /^(.*)\/[^/]+$/.exec(file)?.[1]?.replace('/src', '/test') ?? ''
  return folder.includes('/test/') && !folder.endsWith('/harness') ? all.filter((test) => test.startsWith(folder)) : []
}

const command = (name: string, words: string[]): Promise<void> =>
  part(name, async () => {
    const { exitCode, output } = await runProgram(words)
    return exitCode === 0 ? '' : output
  })

/** Always run: they check every file. */
const rules = ['server/test/architecture.test.ts', 'cli/test/architecture.test.ts']

async function tests(): Promise<void> {
  const all = findTestFiles(['server', 'sdk', 'cli', 'console'].filter((root) => existsSync(root)))
  const chosen = (await changedFiles()).flatMap((file) => testsOf(file, all))
  const files = [...new Set([...rules, ...chosen])]
  await testsPart(`architecture, and tests of what changed (${files.length} files)`, async () =>
    runTests({
      engine: 'sqlite',
      files,
      scratch,
      timeoutMs: 120_000,
      updateTimes: false,
      env: { TEST_ENGINE: 'sqlite', TEST_SQLITE_TEMPLATE: await makeSqliteTemplate(scratch) },
    }),
  )
}

await Promise.all([
  command('format and lint', ['biome', 'check', '--error-on-warnings', '.']),
  command('types', ['tsc', '-p', '.']),
  tests(),
])
finish()
