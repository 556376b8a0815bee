import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import rules from './architecture.json' with { type: 'json' }
import { architecture, filesIn, findings, readAll, repository } from './harness/repository-files.ts'

// Checks the code against the rules in architecture.json.

const root = join(import.meta.dir, '../src')

const sources = readAll(root)
const files = [...sources.keys()]

/** The folder of a file: a folder inside a wing, a folder at the top, or the file itself. */
function folderOf(file: string): string {
  const [first = '', second = '', ...rest] = file.split('/')
  if (!['platform', 'shop', 'surfaces'].includes(first)) return first
  return rest.length === 0 ? file : `${first}/${second}`
}

interface Tables {
  readonly owns?: readonly string[]
  /** Tables of other folders that it may name in SQL. */
  readonly names?: readonly string[]
}
const order: readonly string[] = rules.order
const tableRules: Readonly<Record<string, Tables>> = rules.tables

const importStatement = /^(?:import|export)(?: type)? (?:[\w*{][^'"=]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm
const importsOf = (source: string): string[] =>
  [...source.matchAll(importStatement)].map(([, named, loaded]) => (named ?? loaded) as string)
const ownImportsOf = (file: string, source: string): string[] =>
  importsOf(source)
    .filter((name) => name.startsWith('.') && /\.tsx?$/.test(name))
    .map((name) => normalize(join(dirname(file), name)))

/** Code that a page shows as a sample is text here, not code. */
const withoutTexts = (source: string): string => source.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "''")

test('a file imports only its own folder and those before it in the order', () => {
  const isAllowed = (file: string, target: string) =>
    folderOf(target) === folderOf(file) || order.indexOf(folderOf(target)) < order.indexOf(folderOf(file))
  expect(findings(sources, (file, source) => ownImportsOf(file, source).filter((to) => !isAllowed(file, to)))).toEqual(
    [],
  )
})

test('the order names every folder, and only existing ones', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual(order.toSorted())
})

/** Every table of the schema, except SQLite's own. */
const tables = [
  ...readFileSync(join(import.meta.dir, 'platform/db/schema.sqlite.txt'), 'utf8').matchAll(/^CREATE TABLE (\w+)/gm),
]
  .map(([, table]) => table as string)
  .filter((table) => !table.startsWith('sqlite_'))

/** Tables named in SQL, or passed by name to a function that builds SQL. */
const tableName =
  /\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)|'(\w+_\w+)'|\b(?:nextId|transactionNumber|searchFor)\((?:\w+, )?'(\w+)'/g
const tablesIn = (source: string): string[] =>
  [...source.matchAll(tableName)]
    .map(([, inSql, quoted, passed]) => inSql ?? quoted ?? passed ?? '')
    .filter((name) => tables.includes(name))

/** The features of the platform declare its tables. */
const declaresTables = (file: string) => folderOf(file) === 'platform/compose'

test('every table belongs to one folder', () => {
  const owned = Object.values(tableRules).flatMap(({ owns = [] }) => owns)
  expect(owned.sort()).toEqual(tables.toSorted())
})

test('a file names only the tables its folder owns or may name, and each exception is needed', () => {
  const needed = new Set<string>()
  const isAllowed = (file: string, table: string) => {
    const { owns = [], names = [] } = tableRules[folderOf(file)] ?? {}
    if (owns.includes(table)) return true
    needed.add(`${folderOf(file)} ${table}`)
    return names.includes(table)
  }
  const named = findings(sources, (file, source) =>
    declaresTables(file) ? [] : tablesIn(source).filter((table) => !isAllowed(file, table)),
  )
  expect(named).toEqual([])
  const stated = Object.entries(tableRules).flatMap(([folder, { names = [] }]) =>
    names.map((name) => `${folder} ${name}`),
  )
  expect(stated.filter((exception) => !needed.has(exception))).toEqual([])
})

test('every file that ARCHITECTURE.md names with its folder exists', () => {
  const named = [...architecture.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.tsx?)`/g)].map(([, file]) => file as string)
  expect(named.filter((file) => ![root, repository].some((folder) => existsSync(join(folder, file))))).toEqual([])
})

test('a feature’s operations know nothing of storage', () => {
  const storage = /^platform\/db\/|\/(store|routes)\.ts$/
  expect(
    findings(sources, (file, source) =>
      file.endsWith('/operations.ts') ? ownImportsOf(file, source).filter((to) => storage.test(to)) : [],
    ),
  ).toEqual([])
})

test('a feature’s store knows nothing of HTTP', () => {
  // Scopes are part of the data model; they are defined where operations name them.
  const isHttp = (to: string) => /^(surfaces\/http|platform\/api)\//.test(to) && to !== 'platform/api/operation.ts'
  expect(
    findings(sources, (file, source) => (file.endsWith('/store.ts') ? ownImportsOf(file, source).filter(isHttp) : [])),
  ).toEqual([])
})

for (const workspace of ['server', 'judge', 'sdk', 'cli', 'console']) {
  test(`no file of ${workspace} imports itself through others`, () => {
    const all = readAll(join(repository, workspace, 'src'))
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      if (path.includes(file) || done.has(file)) return
      for (const target of ownImportsOf(file, all.get(file) ?? '')) visit(target, [...path, file])
      done.add(file)
    }
    for (const file of all.keys()) visit(file, [])
    expect(cycles).toEqual([])
  })
}

test('only the listener, the engines and the console bundler use Bun', () => {
  const found = findings(sources, (_, source) => source.match(/\bBun\.|['"]bun(:\w+)?['"]/g) ?? [])
  expect(found.filter((finding) => !rules.mayUseBun.includes(finding.split(':')[0] as string))).toEqual([])
})

test('only the files that run as a process touch the process', () => {
  const found = findings(sources, (_, source) => [
    ...importsOf(source).filter((name) => name === 'node:process'),
    ...(withoutTexts(source).match(/\bprocess\./g) ?? []),
  ])
  expect(found.filter((finding) => !rules.mayUseProcess.includes(finding.split(':')[0] as string))).toEqual([])
})

test('time and randomness come from lib', () => {
  const outside = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bgetRandomValues\b/g
  expect(
    findings(sources, (file, source) =>
      folderOf(file) === 'platform/lib' ? [] : (withoutTexts(source).match(outside) ?? []),
    ),
  ).toEqual([])
})

test('the server imports only these packages', () => {
  const packages = findings(sources, (_, source) =>
    importsOf(source).filter((name) => !/^(\.|node:|bun:|bun$)/.test(name)),
  )
  expect([...new Set(packages.map((finding) => finding.split(': ')[1]))].sort()).toEqual(rules.packages)
})

test('no file is a catch-all, and no source file is over 400 lines', () => {
  const catchAll = /(^|\/)(utils?|helpers?|common|services?|managers?|misc)(\.ts|\/|$)/
  expect(files.filter((file) => catchAll.test(file))).toEqual([])
  expect(findings(sources, (_, source) => (source.split('\n').length > 401 ? ['over 400 lines'] : []))).toEqual([])
})

test('every workspace has the version of the product', () => {
  const read = (folder: string) => JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8'))
  const { version, workspaces } = read('.')
  for (const folder of workspaces) {
    const { version: own, dependencies = {} } = read(folder)
    const linked = Object.entries(dependencies).filter(([name]) => name.startsWith('@petstore/'))
    expect([folder, own, ...linked.map(([, wanted]) => wanted)]).toEqual([
      folder,
      version,
      ...linked.map(() => version),
    ])
  }
})

/** Test folders about the whole service instead of one folder. `start` is for the files at the top. */
const wholeService = ['cluster', 'contract', 'harness', 'model', 'start', 'torture']
const testFiles = filesIn(import.meta.dir, /\.ts$/)

test('a test is in the folder named after what it tests', () => {
  const known = new Set([...files.map(folderOf), ...wholeService])
  const misplaced = testFiles.filter((file) => file !== 'architecture.test.ts' && !known.has(folderOf(file)))
  expect(misplaced).toEqual([])
})

test('only one file names the program of the service', () => {
  const starters = ['server/test', 'scripts', 'bench']
    .flatMap((folder) => filesIn(join(repository, folder), /\.ts$/).map((file) => join(folder, file)))
    .filter((file) => file !== 'server/test/architecture.test.ts')
    // An earlier commit is another program.
    .filter((file) => file !== 'bench/servers.ts')
    .filter((file) => readFileSync(join(repository, file), 'utf8').includes('src/main.ts'))
  expect(starters).toEqual(['server/test/harness/run/test-programs.ts'])
})

test('no test awaits a promise inside a matcher', () => {
  const awaits = (file: string) => /\)\s*\.(rejects|resolves)\b/.test(readFileSync(join(import.meta.dir, file), 'utf8'))
  expect(testFiles.filter((file) => file !== 'harness/failure-of.ts' && awaits(file))).toEqual([])
})
