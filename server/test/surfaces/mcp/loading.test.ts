import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const sources = join(import.meta.dir, '../../../src')

test('the package of the protocol is loaded by the first message, not by the start', () => {
  const files = [...new Bun.Glob('**/*.ts').scanSync(sources)]
  /** The files that load a module when they are loaded; types are erased. */
  const loadersOf = (module: RegExp) =>
    files.filter((file) =>
      [...readFileSync(join(sources, file), 'utf8').matchAll(/^import (?!type )[^']*'([^']+)'/gm)].some(
        ([, name = '']) => module.test(name),
      ),
    )
  expect(loadersOf(/^@modelcontextprotocol\//)).toEqual(['surfaces/mcp/agent-server.ts'])
  expect(loadersOf(/\/agent-server\.ts$/)).toEqual([])
})
