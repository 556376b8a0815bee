import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { root } from '../../scripts/run-service.ts'

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] }

const importStatement = /^(?:import|export)(?: type)? (?:[\w*{][^'"=]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm

/** The source files of a workspace, each with what it imports. */
function readImports(workspace: string): Map<string, string[]> {
  const folder = join(root, workspace, 'src')
  const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: folder })].sort()
  return new Map(
    files.map((file) => {
      const statements = readFileSync(join(folder, file), 'utf8').matchAll(importStatement)
      return [file, [...statements].map(([, named, loaded]) => (named ?? loaded) as string)]
    }),
  )
}

function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file)) return
    const targets = (imports.get(file) ?? []).filter((name) => name.startsWith('.'))
    for (const target of targets) visit(normalize(join(dirname(file), target)), [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return circles
}

for (const workspace of workspaces) {
  test(`no file of ${workspace} imports itself through others`, () => {
    const imports = readImports(workspace)
    expect(imports.size).toBeGreaterThan(20)
    expect(findCircles(imports)).toEqual([])
  })
}

const importedBy = (workspace: string): string[] => [...new Set([...readImports(workspace).values()].flat())]
const outside = (names: readonly string[]): string[] => names.filter((name) => !/^(\.|node:)/.test(name))
const sdkEntries = ['@petstore/sdk', '@petstore/sdk/pet-files']

test('commands import the server only through its named entries, and nothing else by a path', () => {
  const imported = importedBy('cli')
  const entries = Object.keys(JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')).exports)
  const allowed = ['commander', ...sdkEntries, ...entries.map((entry) => entry.replace('.', '@petstore/server'))]
  expect(outside(imported).filter((name) => !allowed.includes(name))).toEqual([])
  expect(imported.filter((name) => name.startsWith('../../'))).toEqual([])
})

test('the console imports the sdk and its three libraries; the sdk imports nothing', () => {
  const libraries = ['preact', 'preact/hooks', '@preact/signals', 'uplot']
  const imported = importedBy('console')
  expect(outside(imported).filter((name) => ![...libraries, ...sdkEntries].includes(name))).toEqual([])
  expect(outside(importedBy('sdk'))).toEqual([])
})
