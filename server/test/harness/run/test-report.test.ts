import { expect, test } from 'bun:test'
import { commandFor, findBeyondBudget } from '../../../../scripts/check-results.ts'
import { findFailures, findSkipped, readReport } from './test-report.ts'

const xml = `<testsuites name="bun test" tests="4" time="2">
  <testsuite name="a.test.ts" file="a.test.ts" tests="3" failures="2" skipped="1" time="1.5" hostname="vm">
    <testcase name="is &lt;kept&gt;" classname="" time="0.5" file="a.test.ts" line="3" assertions="0" />
    <testcase name="lasts" classname="" time="0.1" file="a.test.ts" line="3" assertions="0">
      <failure type="TimeoutError" message="test timed out" />
    </testcase>
    <testsuite name="inside" file="a.test.ts" line="4" tests="2" time="1">
      <testcase name="breaks" classname="inside" time="1" file="a.test.ts" line="5" assertions="0">
        <failure type="TypeError" message="no">TypeError: no &lt;b&gt;&#10;      at a.test.ts:5:1&#10;</failure>
      </testcase>
      <testcase name="is for PostgreSQL" classname="inside" time="0" file="a.test.ts" line="9" assertions="0">
        <skipped />
      </testcase>
    </testsuite>
  </testsuite>
</testsuites>`
const cases = readReport(xml)

test('a report says of each test how it ended', () => {
  const file = 'a.test.ts'
  expect(cases).toEqual([
    { file, name: 'is <kept>', seconds: 0.5, outcome: 'passed' },
    { file, name: 'lasts', seconds: 0.1, outcome: 'failed', error: 'test timed out' },
    {
      file,
      name: 'inside > breaks',
      seconds: 1,
      outcome: 'failed',
      error: 'TypeError: no <b>\n      at a.test.ts:5:1',
    },
    { file, name: 'inside > is for PostgreSQL', seconds: 0, outcome: 'skipped' },
  ])
})

test('a test is skipped if it did not run on an engine where it should', () => {
  const onSqlite = { engine: 'sqlite', cases } as const
  const onPostgres = {
    engine: 'postgres',
    cases: cases.map((one) => ({ ...one, outcome: 'passed' as const })),
  } as const
  const no = () => false
  const names = (...given: Parameters<typeof findSkipped>) => findSkipped(...given).map(({ name }) => name)
  const skipped = 'inside > is for PostgreSQL'
  expect(names([onSqlite], no, no)).toEqual([skipped])
  expect(names([onSqlite, onPostgres], no, no)).toEqual([])
  // The other engine is not part of this run, so the test is not either.
  expect(names([onSqlite], no, () => true)).toEqual([])
  const lacksOn = (engine: string) => (_file: string, one: string) => one === engine
  expect(names([onSqlite], lacksOn('sqlite'), () => true)).toEqual([skipped])
  expect(names([onSqlite, onPostgres], lacksOn('sqlite'), no)).toEqual([skipped])
  expect(names([onSqlite, { ...onSqlite, engine: 'postgres' }], no, no)).toEqual([skipped])

  const group = { file: 'a.test.ts', name: 'inside > (unnamed)', seconds: 0, outcome: 'skipped' as const }
  expect(names([{ engine: 'sqlite', cases: [group] }, onPostgres], no, no)).toEqual([])
  expect(names([{ engine: 'sqlite', cases: [group] }], no, no)).toEqual([group.name])
})

test('what failed is found: a test, a file that cannot be loaded, and a process that ends', () => {
  const unloaded =
    'a.test.ts:\n(fail) x\n\nb.test.ts:\n\n# Unhandled error between tests\n-----\nerror: Cannot find module\n-----\n'
  expect(findFailures(['a.test.ts', 'b.test.ts'], cases, 1, unloaded)).toEqual([
    { file: 'a.test.ts', name: 'lasts', error: 'test timed out' },
    { file: 'a.test.ts', name: 'inside > breaks', error: 'TypeError: no <b>\n      at a.test.ts:5:1' },
    { file: 'b.test.ts', error: 'error: Cannot find module' },
  ])
  expect(findFailures(['a.test.ts', 'b.test.ts'], [], 137, 'last words\n')).toEqual([
    { file: 'a.test.ts b.test.ts', error: 'The process ended with 137.\nlast words' },
  ])
  expect(findFailures(['a.test.ts'], [], 0, '')).toEqual([])
})

const tally = (env: Record<string, string>, steps = `skip('no Chromium', 2)`) =>
  Bun.spawnSync(
    [process.execPath, '-e', `import { finish, part, skip } from './scripts/check-tally.ts'; ${steps}; finish()`],
    { cwd: `${import.meta.dir}/../../../..`, env: { PATH: process.env.PATH, ...env }, stderr: 'inherit' },
  )

test.each([
  [{}, 0],
  [{ CI: 'true' }, 1],
])('what was skipped is named and counted last; with %p the exit code is %d', (env, code) => {
  const { exitCode, stdout } = tally(env)
  expect(exitCode).toBe(code)
  expect(stdout.toString()).toStartWith('skip  no Chromium\n')
  expect(stdout.toString()).toEndWith('\n0 passed, 0 failed, 2 skipped\n')
})

test('what failed is named again at the end, with its error and the command that runs it alone', () => {
  const { exitCode, stdout } = tally({}, `await part('types', 'npx tsc', () => 'a.ts: wrong')`)
  expect(exitCode).toBe(1)
  const [, end] = stdout.toString().split('FAIL  types\na.ts: wrong\n')
  expect(end).toMatch(
    /^FAIL {2}types\n {6}a.ts: wrong\n {6}run alone: npx tsc\n +[\d.]+ s in all\n0 passed, 1 failed, 0 skipped\n$/,
  )
})

test('the command for a test selects it by its sentence', () => {
  const file = 'server/test/a.test.ts'
  const command = commandFor('npm test', file, "inside > isn't (yet) done")
  expect(command).toBe(`npm test -- ${file} -t 'inside.+isn.t .yet. done'`)
  const [, pattern = ''] = /-t '(.*)'$/.exec(command) ?? []
  expect("inside isn't (yet) done").toMatch(new RegExp(pattern))
  expect(commandFor('npm test', file, 'inside > (unnamed)')).toBe(`npm test -- ${file}`)
  expect(commandFor('npm run test:all -- --torture', file)).toBe(`npm run test:all -- --torture ${file}`)
})

test('only a multiple of the budget of processor time is a fault', () => {
  const run = { engine: 'sqlite' as const, files: ['a.test.ts'], cases: [], seconds: 2 }
  expect(findBeyondBudget([{ ...run, processorSeconds: 12 }])).toBe('')
  expect(findBeyondBudget([{ ...run, processorSeconds: 14 }])).toBe('a.test.ts on SQLite: 14.0 s; its budget is 2.0 s')
})
