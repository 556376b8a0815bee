import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { inBatches } from './choose.ts'
import { applyTo } from './mutant.ts'
import { findInSql } from './sql.ts'
import { openCompiler } from './types.ts'

const home = newDirectory()
afterAll(() => home.remove())

const sqlAfter = (sql: string) => findInSql(sql).map((change) => applyTo(sql, change))

test('an SQL text loses a lock, a clause, a limit or its order, or gets another bound', () => {
  expect(
    sqlAfter('SELECT id FROM pets WHERE id > $1 AND (a = 1 OR b = 2) ORDER BY id DESC LIMIT 1 FOR UPDATE'),
  ).toEqual([
    'SELECT id FROM pets WHERE id > $1 AND (a = 1 OR b = 2) ORDER BY id DESC LIMIT 1',
    'SELECT id FROM pets WHERE (id > $1 OR 1 = 1) AND (a = 1 OR b = 2) ORDER BY id DESC LIMIT 1 FOR UPDATE',
    'SELECT id FROM pets WHERE id > $1 AND ((a = 1 OR b = 2) OR 1 = 1) ORDER BY id DESC LIMIT 1 FOR UPDATE',
    'SELECT id FROM pets WHERE id > $1 AND (a = 1 OR b = 2) ORDER BY id DESC LIMIT 1000000 FOR UPDATE',
    'SELECT id FROM pets WHERE id > $1 AND (a = 1 OR b = 2) ORDER BY id LIMIT 1 FOR UPDATE',
    'SELECT id FROM pets WHERE id >= $1 AND (a = 1 OR b = 2) ORDER BY id DESC LIMIT 1 FOR UPDATE',
  ])
  expect(sqlAfter('where it is > than AND everything')).toEqual([])
})

test('code gets one change at a time, and only what compiles is a mutant', async () => {
  const options = { compilerOptions: { strict: true, noEmit: true, target: 'ESNext', noUnusedLocals: true, types: [] } }
  for (const folder of ['', 'sdk', 'console', 'server/src']) {
    mkdirSync(join(home.path, folder), { recursive: true })
    if (folder !== 'server/src') writeFileSync(join(home.path, folder, 'tsconfig.json'), JSON.stringify(options))
  }
  const source = `declare function log(text: string): void
export async function find(wait: () => Promise<number>, name?: string) {
  if (name === undefined) log('none')
  const count = await wait()
  return { headers: { 'Cache-Control': name ?? 'no-store' }, isMany: count > 20 && !name }
}
`
  writeFileSync(join(home.path, 'server/src/find.ts'), source)
  const compiler = await openCompiler(home.path)
  const mutants = await compiler.mutantsOf('server/src/find.ts')
  const compiling: boolean[] = []
  for (const mutant of mutants) compiling.push(await compiler.compiles(mutant, source))
  await compiler.close()
  const found = mutants.map(({ line, rule, was, text }) => `${line} ${rule}: ${was} → ${text}`)
  expect(found.filter((_, index) => compiling[index])).toEqual([
    '3 comparison: === → !==',
    "3 call removed: log('none') → void (() => log('none'))",
    "5 header removed: 'Cache-Control': name ?? 'no-store' → ...{}",
    '5 operator: name ??  → ',
    '5 operator: && → ||',
    '5 bound: > → >=',
    '5 constant: 20 → 200',
    '5 condition: !name → name',
  ])
  // Without its await, the count is no number.
  expect(found.filter((_, index) => !compiling[index])).toEqual(['4 await removed: await wait() → wait()'])
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
})

test('runs of one engine share a process for up to ten seconds', () => {
  const run = (engine: 'sqlite' | 'postgres', ms: number) => ({ file: 'a.test.ts', engine, ms })
  const runs = [run('sqlite', 6_000), run('sqlite', 4_000), run('sqlite', 1), run('postgres', 1)]
  expect(inBatches(runs).map((batch) => batch.length)).toEqual([2, 1, 1])
})
