import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/test/harness/run/run-service.ts'

test('commands know the server only by its named entries, and nothing else by a path', () => {
  const sources = new Bun.Glob('**/*.ts').scanSync({ cwd: join(root, 'cli/src') })
  const imported = [...sources].flatMap((file) =>
    [...readFileSync(join(root, 'cli/src', file), 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)].map(
      ([, name]) => name,
    ),
  )
  const outside = [...new Set(imported)].filter((name) => !name?.startsWith('.') && !name?.startsWith('node:'))
  const entries = Object.keys(JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')).exports)
  const allowed = ['commander', '@petstore/sdk', ...entries.map((entry) => entry.replace('.', '@petstore/server'))]
  expect(outside.filter((name) => !allowed.includes(name as string))).toEqual([])
  expect(imported.filter((name) => name?.startsWith('../../'))).toEqual([])
})
