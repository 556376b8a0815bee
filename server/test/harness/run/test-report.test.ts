import { expect, test } from 'bun:test'
import { describeFailures, readFileSeconds, readReport, skippedEverywhere } from './test-report.ts'
import { runsOnPostgres } from './test-selection.ts'

const xml = `<testsuites name="bun test" tests="4" time="2">
  <testsuite name="a.test.ts" file="a.test.ts" tests="3" failures="1" skipped="1" time="1.5" hostname="vm">
    <testcase name="is &lt;kept&gt;" classname="" time="0.5" file="a.test.ts" line="3" assertions="0" />
    <testsuite name="inside" file="a.test.ts" line="4" tests="2" time="1">
      <testcase name="breaks" classname="inside" time="1" file="a.test.ts" line="5" assertions="0">
        <failure type="AssertionError" />
      </testcase>
      <testcase name="is for PostgreSQL" classname="inside" time="0" file="a.test.ts" line="9" assertions="0">
        <skipped />
      </testcase>
    </testsuite>
  </testsuite>
</testsuites>`

test('a report says of each test how it ended, and of each file how long it took', () => {
  expect(readReport(xml)).toEqual([
    { file: 'a.test.ts', name: 'is <kept>', seconds: 0.5, outcome: 'passed' },
    { file: 'a.test.ts', name: 'inside > breaks', seconds: 1, outcome: 'failed' },
    { file: 'a.test.ts', name: 'inside > is for PostgreSQL', seconds: 0, outcome: 'skipped' },
  ])
  expect(readFileSeconds(xml)).toEqual([['a.test.ts', 1.5]])
})

test('a test is skipped when it ran on no engine', () => {
  const onSqlite = readReport(xml)
  const onPostgres = onSqlite.map((one) => ({ ...one, outcome: 'passed' as const }))
  expect(skippedEverywhere([onSqlite]).map(({ name }) => name)).toEqual(['inside > is for PostgreSQL'])
  expect(skippedEverywhere([onSqlite, onPostgres])).toEqual([])
  const group = { file: 'a.test.ts', name: 'inside > (unnamed)', seconds: 0, outcome: 'skipped' as const }
  expect(skippedEverywhere([[group], onPostgres])).toEqual([])
  expect(skippedEverywhere([[group], []])).toEqual([group])
})

test('a test that failed is described by its last error', () => {
  const other = 'error: of another test\n(fail) before [1 ms]\n'
  const output = `a.test.ts:\n${other}error: was logged\n3 | code\n\nTypeError: no\n\n  at a.test.ts:5\n(fail) inside > breaks [1 ms]\n`
  const unloaded = '# Unhandled error between tests\n-----\nerror: Cannot find module\n-----\n'
  expect(describeFailures(readReport(xml), output + unloaded)).toEqual([
    'a.test.ts: inside > breaks\n      TypeError: no\n        at a.test.ts:5',
    'Unhandled error between tests\n      error: Cannot find module',
  ])
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

test('what failed is named again at the end', () => {
  const { exitCode, stdout } = tally({}, `await part('types', () => 'wrong')`)
  expect(exitCode).toBe(1)
  expect(stdout.toString()).toMatch(/\nFAIL {2}types\n +[\d.]+ s in all\n0 passed, 1 failed, 0 skipped\n$/)
})

test('a file runs on PostgreSQL where the engine can change what its tests see', () => {
  const folder = 'server/test'
  expect(runsOnPostgres(`${folder}/orders/conflicts.test.ts`)).toBe(true)
  expect(runsOnPostgres(`${folder}/cluster/pgbouncer.test.ts`)).toBe(true)
  expect(runsOnPostgres(`${folder}/lib/queue.test.ts`)).toBe(false)
  expect(runsOnPostgres('console/test/accessibility.test.ts')).toBe(false)
})
