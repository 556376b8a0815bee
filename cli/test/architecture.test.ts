import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/test/harness/run/run-service.ts'

const importStatement = /^(?:import|export)(?: type)? (?:[\w*{][^'"=]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm

/** Everything that the source files of a workspace import. */
function importedBy(workspace: string): string[] {
  const folder = join(root, workspace, 'src')
  const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: folder })]
  const statements = files.flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(importStatement)])
  return [...new Set(statements.map(([, named, loaded]) => (named ?? loaded) as string))]
}

const outside = (names: readonly string[]): string[] => names.filter((name) => !/^(\.|node:)/.test(name))
const judgeEntries = [
  ...['history', 'history/content', 'history/error-code', 'judge', 'profile', 'report', 'requirement'],
  ...['output/har', 'output/junit', 'output/text'],
].map((entry) => `@petstore/judge/${entry}`)
const sdkEntries = ['@petstore/sdk', '@petstore/sdk/pet-files', '@petstore/sdk/testing']

test('commands import the server only through its named entries, and nothing else by a path', () => {
  const imported = importedBy('cli')
  const entries = Object.keys(JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')).exports)
  const allowed = [
    ...['commander', 'yaml', 'zod'],
    ...sdkEntries,
    ...judgeEntries,
    ...entries.map((entry) => entry.replace('.', '@petstore/server')),
  ]
  expect(outside(imported).filter((name) => !allowed.includes(name))).toEqual([])
  expect(imported.filter((name) => name.startsWith('../../'))).toEqual([])
})

test('commands use nothing of Bun, and load the server only when a command needs it', () => {
  const folder = join(root, 'cli/src')
  for (const file of new Bun.Glob('**/*.ts').scanSync({ cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8')
    expect([file, text.match(/\bBun\.|'bun:/g)]).toEqual([file, null])
    expect([file, text.match(/^import \{.*'@petstore\/server/m)]).toEqual([file, null])
  }
})

test('the console imports the sdk and its two libraries; the sdk and the judge import nothing', () => {
  const libraries = ['preact', 'preact/hooks', '@preact/signals']
  const imported = importedBy('console')
  expect(outside(imported).filter((name) => ![...libraries, ...sdkEntries].includes(name))).toEqual([])
  for (const workspace of ['sdk', 'judge']) expect(outside(importedBy(workspace))).toEqual([])
  expect(importedBy('judge').filter((name) => name.startsWith('node:') || name.startsWith('../../'))).toEqual([])
})
