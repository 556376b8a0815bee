import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { statusDiagram } from '../src/stock/diagram.ts'

// Checks the code against the rules of ARCHITECTURE.md.

const root = join(import.meta.dir, '../src')
const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file)).sort()
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

/** The folder of a file, or the file's name if it is at the top. */
const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] as string) : file)

const architecture = readFileSync(join(import.meta.dir, '../../ARCHITECTURE.md'), 'utf8')

interface Rule {
  /** Folders it may import besides itself. */
  readonly imports: readonly string[]
  /** Database tables it owns. */
  readonly owned: readonly string[]
  /** Tables of other folders it may name in SQL. */
  readonly others: readonly string[] | 'all'
}

const namesIn = (list: string): string[] => [...list.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name as string)

const names = '(?:`[\\w.-]+`(?:, )?)+'
const row = new RegExp(`^\\| \`([\\w.-]+)\` \\| (${names}|nothing) \\| (${names}|none)(?:; (${names}|all))? \\|$`, 'gm')

/** The import table of ARCHITECTURE.md. */
const rules: Readonly<Record<string, Rule>> = Object.fromEntries(
  [...architecture.matchAll(row)].map(([, folder = '', imports = '', owned = '', others = '']) => [
    folder,
    { imports: namesIn(imports), owned: namesIn(owned), others: others === 'all' ? others : namesIn(others) },
  ]),
)

const importStatement = /^(?:import|export)(?: type)? (?:[\w*{][^'"=]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm
const importsOf = (file: string): string[] =>
  [...(sources.get(file) as string).matchAll(importStatement)].map(([, named, loaded]) => (named ?? loaded) as string)
const ownImportsOf = (file: string): string[] =>
  importsOf(file)
    .filter((name) => name.startsWith('.') && name.endsWith('.ts'))
    .map((name) => normalize(join(dirname(file), name)))

/** Removes string literals: code samples on pages are not code of the server. */
const withoutTexts = (source: string): string => source.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "''")

const findings = (rule: (file: string, source: string) => string[]): string[] =>
  [...sources].flatMap(([file, source]) => rule(file, source).map((what) => `${file}: ${what}`))

test('every file imports only what its folder may', () => {
  const isAllowed = (file: string, target: string) => {
    const folder = folderOf(file)
    return folderOf(target) === folder || rules[folder]?.imports.includes(folderOf(target))
  }
  expect(findings((file) => ownImportsOf(file).filter((target) => !isAllowed(file, target)))).toEqual([])
})

test('the table names every folder that exists, and no other', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(rules).sort())
})

/** Every table of the schema, SQLite's own excepted. */
const tables = [
  ...readFileSync(join(import.meta.dir, 'db/schema.sqlite.txt'), 'utf8').matchAll(/^CREATE TABLE (\w+)/gm),
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

test('every table belongs to one folder', () => {
  expect(
    Object.values(rules)
      .flatMap(({ owned }) => owned)
      .sort(),
  ).toEqual(tables.toSorted())
})

test('a file names only the tables its folder owns or may name, and each exception is needed', () => {
  const needed = new Set<string>()
  const isAllowed = (file: string, table: string) => {
    const { owned, others } = rules[folderOf(file)] as Rule
    if (owned.includes(table)) return true
    needed.add(`${folderOf(file)} ${table}`)
    return others === 'all' || others.includes(table)
  }
  const isFrozen = (file: string) => file.startsWith('db/migrations/')
  expect(
    findings((file, source) => (isFrozen(file) ? [] : tablesIn(source).filter((table) => !isAllowed(file, table)))),
  ).toEqual([])
  const stated = Object.entries(rules).flatMap(([folder, { others }]) =>
    others === 'all' ? [] : others.map((table) => `${folder} ${table}`),
  )
  expect(stated.filter((exception) => !needed.has(exception))).toEqual([])
})

test('every file that ARCHITECTURE.md names with its folder is there', () => {
  const named = [...architecture.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.tsx?)`/g)].map(([, file]) => file as string)
  const roots = [root, join(root, '../..')]
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((file) => !roots.some((folder) => existsSync(join(folder, file))))).toEqual([])
})

test('there is no import circle between folders', () => {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (rules[from]?.imports ?? []).some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))))
  expect(Object.keys(rules).filter((folder) => reaches(folder, folder))).toEqual([])
})

test('the status diagram of ARCHITECTURE.md is the generated one', () => {
  expect(architecture).toContain(statusDiagram())
})

test('a feature’s operations know nothing of storage', () => {
  const storage = /^db\/|\/(store|routes)\.ts$/
  expect(
    findings((file) => (file.endsWith('/operations.ts') ? ownImportsOf(file).filter((to) => storage.test(to)) : [])),
  ).toEqual([])
})

test('a feature’s store knows nothing of HTTP', () => {
  const isStore = (file: string) => file.endsWith('/store.ts')
  // Scopes are part of the data model but live in api/, where operations use them.
  const http = (to: string) => /^(http|api)\//.test(to) && to !== 'api/scopes.ts'
  expect(findings((file) => (isStore(file) ? ownImportsOf(file).filter(http) : []))).toEqual([])
})

test('there is no import circle between files', () => {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file)) return
    for (const target of ownImportsOf(file)) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(cycles).toEqual([])
})

test('only the listener, the two engines and the console bundler use the runtime', () => {
  const allowed = [
    'http/listener.ts',
    'db/sqlite-connection.ts',
    'db/postgres-session.ts',
    'db/postgres-listening.ts',
    // Bundles the console: the runtime is the bundler.
    'pages/console/bundle.ts',
  ]
  expect(
    findings((file, source) => (allowed.includes(file) ? [] : (source.match(/\bBun\.|['"]bun(:\w+)?['"]/g) ?? []))),
  ).toEqual([])
})

test('only main.ts and serve.ts touch the process', () => {
  // The lock file contains the process id; the bundler needs the path of the runtime.
  const [readsPid, readsPath] = ['db/sqlite-lock.ts', 'pages/console/bundle.ts']
  expect(findings((file) => importsOf(file).filter((name) => name === 'node:process'))).toEqual([
    `${readsPid}: node:process`,
    `${readsPath}: node:process`,
  ])
  expect(
    findings((file, source) =>
      ['main.ts', 'serve.ts'].includes(file) ? [] : (withoutTexts(source).match(/\bprocess\./g) ?? []),
    ),
  ).toEqual([])
})

test('time and chance come from lib', () => {
  // performance.now measures durations; it is not a clock.
  const outside = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bgetRandomValues\b/g
  expect(
    findings((file, source) => (folderOf(file) === 'lib' ? [] : (withoutTexts(source).match(outside) ?? []))),
  ).toEqual([])
  const timing = findings((_, source) => source.match(/\bperformance\.now\b/g) ?? [])
  expect(timing.every((finding) => /^(db|feed|http|keys|lib|limits|telemetry|webhooks)\//.test(finding))).toBeTrue()
})

test('packages are few and named here', () => {
  const packages = findings((file) => importsOf(file).filter((name) => !/^(\.|node:|bun:|bun$)/.test(name)))
  expect([...new Set(packages.map((finding) => finding.split(': ')[1]))].sort()).toEqual([
    'ipaddr.js',
    'marked',
    'yaml',
    'zod',
  ])
})

test('no file is a catch-all, and none is longer than 300 lines', () => {
  const catchAll = /(^|\/)(utils?|helpers?|common|services?|managers?|misc|index)(\.ts|\/|$)/
  expect(files.filter((file) => catchAll.test(file))).toEqual([])
  expect(findings((_, source) => (source.split('\n').length > 301 ? ['over 300 lines'] : []))).toEqual([])
})

test('every workspace has the version of the product', () => {
  const repository = join(import.meta.dir, '../..')
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

/** Test folders for the whole service rather than one of its folders. `start` is for the files at the top. */
const wholeService = ['cluster', 'contract', 'harness', 'model', 'start', 'torture']
const testFiles = (readdirSync(import.meta.dir, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts'))

test('tests are in a folder with the name of the folder they test', () => {
  const known = new Set([...files.map(folderOf), ...wholeService])
  const misplaced = testFiles.filter((file) => file !== 'architecture.test.ts' && !known.has(folderOf(file)))
  expect(misplaced).toEqual([])
})

test('one file starts the service as a process, and all others use it', () => {
  const repository = join(import.meta.dir, '../..')
  const starters = ['server/test', 'scripts', 'bench']
    .flatMap((folder) =>
      (readdirSync(join(repository, folder), { recursive: true }) as string[]).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.ts') && file !== 'server/test/architecture.test.ts')
    // The service of an earlier release or commit is another program.
    .filter((file) => !['server/test/db/previous-release.test.ts', 'bench/against.ts'].includes(file))
    .filter((file) => readFileSync(join(repository, file), 'utf8').includes('src/main.ts'))
  expect(starters).toEqual(['scripts/run-service.ts'])
})

test('no test awaits a promise inside a matcher', () => {
  const awaitsInMatcher = (file: string) =>
    /\)\s*\.(rejects|resolves)\b/.test(readFileSync(join(import.meta.dir, file), 'utf8'))
  expect(testFiles.filter((file) => file !== 'harness/failure-of.ts' && awaitsInMatcher(file))).toEqual([])
})
