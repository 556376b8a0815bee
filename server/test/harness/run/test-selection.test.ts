import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn, repository } from '../repository-files.ts'
import { processorSecondsOf } from './processor-time.ts'
import listed from './test-files.json' with { type: 'json' }
import { clientsRoot, findTests, isNamedBy, runsOnPostgres } from './test-selection.ts'
import { inBatches } from './test-workers.ts'

const tests = findTests()
const nameOf = ({ file, engine }: { file: string; engine: string }) => `${file} on ${engine}`

test('every test file is listed on each engine where it runs, and only there', () => {
  const folders = readdirSync(repository).filter((name) => !/^(\.|node_modules$|dist|data)/.test(name))
  const files = folders
    .filter((name) => statSync(join(repository, name)).isDirectory())
    .flatMap((folder) => filesIn(join(repository, folder), /\.test\.tsx?$/).map((file) => join(folder, file)))
  const found = new Set(tests.map(({ file }) => file))
  expect(files.filter((file) => !found.has(file) && !file.startsWith(`${clientsRoot}/`))).toEqual([])

  const known = new Set(tests.map(nameOf))
  const lines = Object.entries(listed).flatMap(([file, parts]) =>
    Object.values(parts).flatMap((budgets) => Object.keys(budgets).map((engine) => nameOf({ file, engine }))),
  )
  expect([...known].toSorted()).toEqual(lines.toSorted())
})

test('the quick part is contained in the whole, covers both engines, and fits into three minutes on two cores', () => {
  const quick = tests.filter(({ part }) => part === 'quick')
  // The whole is every file on every engine that matters to it.
  expect(quick.filter(({ file, engine }) => engine === 'postgres' && !runsOnPostgres(file))).toEqual([])
  expect(new Set(quick.map(({ engine }) => engine))).toEqual(new Set(['sqlite', 'postgres']))
  expect(quick.length).toBeLessThan(tests.length)
  expect(quick.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(215)
})

test('a file runs on PostgreSQL where the engine can change what its tests see', () => {
  const folder = 'server/test'
  expect(runsOnPostgres(`${folder}/shop/orders/conflicts.test.ts`)).toBe(true)
  expect(runsOnPostgres(`${folder}/cluster/pgbouncer.test.ts`)).toBe(true)
  expect(runsOnPostgres(`${folder}/platform/lib/queue.test.ts`)).toBe(false)
  expect(runsOnPostgres(`${folder}/sandbox/host.test.ts`)).toBe(false)
  expect(runsOnPostgres('console/test/accessibility.test.ts')).toBe(false)
})

test('a word selects paths that contain it, and torture only by its folder', () => {
  expect(isNamedBy(['pets', 'webhooks'], 'server/test/platform/webhooks/send.test.ts')).toBe(true)
  expect(isNamedBy(['orders'], 'server/test/platform/webhooks/send.test.ts')).toBe(false)
  expect(isNamedBy(['webhooks'], 'server/test/torture/webhooks.test.ts')).toBe(false)
  expect(isNamedBy(['torture/webhooks'], 'server/test/torture/webhooks.test.ts')).toBe(true)
  expect(isNamedBy(['cluster'], 'server/test/cluster/events.test.ts')).toBe(true)
})

test('files of one engine share a process up to a limit, and the most expensive start first', () => {
  const file = (name: string, engine: 'sqlite' | 'postgres', seconds: number) =>
    ({ file: name, engine, seconds, part: 'quick' }) as const
  const files = [file('a', 'sqlite', 1), file('a', 'postgres', 1), file('b', 'sqlite', 1), file('c', 'sqlite', 3)]
  expect(inBatches(files, 2)).toEqual([
    { engine: 'sqlite', files: ['c'], seconds: 3 },
    { engine: 'sqlite', files: ['a', 'b'], seconds: 2 },
    { engine: 'postgres', files: ['a'], seconds: 1 },
  ])
})

test.if(process.platform === 'linux')('processor time is that of a process and all that it started', async () => {
  const own = process.cpuUsage()
  const child = Bun.spawn(['sh', '-c', 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read end'], {
    stdin: 'pipe',
    stdout: 'pipe',
  })
  for await (const _ of child.stdout) break
  const seconds = processorSecondsOf(process.pid)
  expect(processorSecondsOf(child.pid)).toBeGreaterThan(0.01)
  expect(seconds).toBeGreaterThan(processorSecondsOf(child.pid))
  expect(seconds).toBeGreaterThan((own.user + own.system) / 1e6 - 0.1)
  child.kill()
  await child.exited
})
