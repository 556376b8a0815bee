import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isNamedTestThere } from './named-test.ts'

test('every test that SECURITY.md names exists, and every risk names one', () => {
  const page = readFileSync(join(import.meta.dir, '../SECURITY.md'), 'utf8')
  const named = [...page.matchAll(/`([\w-]+\/[\w-]+)`: (.+?)(?: \||\.$)/gm)]
  for (const [, file = '', title = ''] of named) {
    expect([file, title, isNamedTestThere(file, title)]).toEqual([file, title, true])
  }
  const risks = page.split('\n').filter((line) => /^\| API\d/.test(line))
  expect([risks.length, risks.filter((line) => !/`\w+\/[\w-]+`: \w/.test(line))]).toEqual([10, []])
  expect(named.length).toBeGreaterThanOrEqual(17)
})
