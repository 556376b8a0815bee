import { afterAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { petShop } from '../../../src/shop/index.ts'
import { createTestDatabase } from '../../harness/database.ts'
import { root } from '../../harness/run/run-service.ts'
import { programFile } from '../../harness/run/test-programs.ts'

const database = await createTestDatabase()
afterAll(() => database.remove())

async function migrate(...options: string[]) {
  const child = Bun.spawn([process.execPath, programFile('petstore'), 'migrate', ...options], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: database.url },
  })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode, lines: stdout.trimEnd().split('\n'), stderr }
}

test('petstore migrate migrates the schema, and --check reports what it would do', async () => {
  const nothing = { exitCode: 0, lines: ['The schema is up to date.'], stderr: '' }
  const everything = petShop.migrations.map(({ name }, index) => `Would apply ${index + 1}: ${name}`)
  expect(await migrate('--check')).toEqual({ exitCode: 1, lines: everything, stderr: '' })
  // A check creates nothing, not even the file.
  if (database.url.startsWith('sqlite:')) expect(existsSync(database.url.slice('sqlite:'.length))).toBe(false)
  const all = await Promise.all([migrate(), migrate()])
  expect(all.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ])
  const applied = all.flatMap(({ lines }) => lines.filter((line) => line.startsWith('Applied: ')))
  expect(applied.toSorted()).toEqual(petShop.migrations.map(({ name }) => `Applied: ${name}`).toSorted())
  expect(await migrate('--check')).toEqual(nothing)
  expect(await migrate()).toEqual(nothing)
})

test('petstore migrate rejects unknown options', async () => {
  const { exitCode, stderr } = await migrate('--chekc')
  expect([exitCode, stderr.split('\n')[0]]).toEqual([2, "error: unknown option '--chekc'"])
})
