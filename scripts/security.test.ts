import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

test('every test that SECURITY.md names exists, and every risk names one', () => {
  const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  const named = [...page.matchAll(/`([\w-]+\/[\w-]+)`: (.+?)(?: \||\.$)/gm)]
  for (const [, file, title = ''] of named) {
    const source = readFileSync(join(root, 'server/test', `${file}.test.ts`), 'utf8')
    expect([file, title, source.includes(title)]).toEqual([file, title, true])
  }
  const risks = page.split('\n').filter((line) => /^\| API\d/.test(line))
  expect([risks.length, risks.filter((line) => !/`\w+\/[\w-]+`: \w/.test(line))]).toEqual([10, []])
  expect(named.length).toBeGreaterThanOrEqual(17)
})
