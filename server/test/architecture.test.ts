import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { statusDiagram } from '../src/shop/pets/status-diagram.ts'
import { architecture, filesIn, findings, namesIn, readAll, repository } from './harness/repository-files.ts'

// Checks the code against the rules of ARCHITECTURE.md.

const root = join(import.meta.dir, '../src')

const sources = readAll(root)
const files = [...sources.keys()]

/** The folder of a file, or the file's name if it is at the top. */
const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] as string) : file)

interface Rule {
  /** Folders it may import besides itself. */
  readonly imports: readonly string[]
  /** Database tables it owns. */
  readonly owned: readonly string[]
  /** Tables of other folders it may name in SQL. */
  readonly others: readonly string[] | 'all'
}

const nameList = '(?:`[\\w.-]+`(?:, )?)+'
const tableRow = new RegExp(
  `^\\| \`([\\w.-]+)\` \\| (${nameList}|nothing) \\| (${nameList}|none)(?:; (${nameList}|all))? \\|$`,
  'gm',
)

/** The import table of ARCHITECTURE.md. */
const rules = new Map<string, Rule>(
  [...architecture.matchAll(tableRow)].map(([, folder = '', imports = '', owned = '', others = '']) => [
    folder,
    { imports: namesIn(imports), owned: namesIn(owned), others: others === 'all' ? others : namesIn(others) },
  ]),
)
const mayImport = (folder: string): readonly string[] => rules.get(folder)?.imports ?? []

const importStatement = /^(?:import|export)(?: type)? (?:[\w*{][^'"=]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm
const importsOf = (source: string): string[] =>
  [...source.matchAll(importStatement)].map(([, named, loaded]) => (named ?? loaded) as string)
const ownImportsOf = (file: string, source: string): string[] =>
  importsOf(source)
    .filter((name) => name.startsWith('.') && /\.tsx?$/.test(name))
    .map((name) => normalize(join(dirname(file), name)))

/** Code that a page shows as a sample is text here, not code. */
const withoutTexts = (source: string): string => source.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "''")

test('every file imports only what its folder may', () => {
  const isAllowed = (file: string, target: string) =>
    folderOf(target) === folderOf(file) || mayImport(folderOf(file)).includes(folderOf(target))
  expect(findings(sources, (file, source) => ownImportsOf(file, source).filter((to) => !isAllowed(file, to)))).toEqual(
    [],
  )
})

test('the table names every folder, and only existing ones', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual([...rules.keys()].sort())
})

/** Every table of the schema, except SQLite's own. */
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
  const owned = [...rules.values()].flatMap((rule) => rule.owned)
  expect(owned.sort()).toEqual(tables.toSorted())
})

test('a file names only the tables its folder owns or may name, and each exception is needed', () => {
  const needed = new Set<string>()
  const isAllowed = (file: string, table: string) => {
    const { owned = [], others = [] } = rules.get(folderOf(file)) ?? {}
    if (owned.includes(table)) return true
    needed.add(`${folderOf(file)} ${table}`)
    return others === 'all' || others.includes(table)
  }
  const isFrozen = (file: string) => file.startsWith('db/migrations/')
  expect(
    findings(sources, (file, source) =>
      isFrozen(file) ? [] : tablesIn(source).filter((table) => !isAllowed(file, table)),
    ),
  ).toEqual([])
  const stated = [...rules].flatMap(([folder, { others }]) =>
    others === 'all' ? [] : others.map((table) => `${folder} ${table}`),
  )
  expect(stated.filter((exception) => !needed.has(exception))).toEqual([])
})

test('every file that ARCHITECTURE.md names with its folder exists', () => {
  const named = [...architecture.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.tsx?)`/g)].map(([, file]) => file as string)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((file) => ![root, repository].some((folder) => existsSync(join(folder, file))))).toEqual([])
})

test('the request paths name as many files as their headings say', () => {
  const [, section = ''] = architecture.split('## Request paths')
  const paths = section.split('\n## ')[0]?.split('\n### ').slice(1) ?? []
  expect(paths).toHaveLength(3)
  const seen = new Set<string>()
  for (const path of paths) {
    const [heading = '', ...lines] = path.split('\n')
    const before = seen.size
    for (const [, file = ''] of lines.join('\n').matchAll(/`((?:[\w-]+\/)+[\w.-]+\.ts)`/g)) seen.add(file)
    expect(heading).toContain(`: ${seen.size - before} files`)
  }
})

test('no folder imports itself through others', () => {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    mayImport(from).some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))))
  expect([...rules.keys()].filter((folder) => reaches(folder, folder))).toEqual([])
})

test('ARCHITECTURE.md shows the status diagram that follows from the rules', () => {
  expect(architecture).toContain(statusDiagram())
})

test('a feature’s operations know nothing of storage', () => {
  const storage = /^db\/|\/(store|routes)\.ts$/
  expect(
    findings(sources, (file, source) =>
      file.endsWith('/operations.ts') ? ownImportsOf(file, source).filter((to) => storage.test(to)) : [],
    ),
  ).toEqual([])
})

test('a feature’s store knows nothing of HTTP', () => {
  // Scopes are part of the data model; they are defined where operations name them.
  const isHttp = (to: string) => /^(http|api)\//.test(to) && to !== 'api/scopes.ts'
  expect(
    findings(sources, (file, source) => (file.endsWith('/store.ts') ? ownImportsOf(file, source).filter(isHttp) : [])),
  ).toEqual([])
})

for (const workspace of ['server', 'sdk', 'cli', 'console']) {
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

test('only the listener, the two engines and the console bundler use Bun', () => {
  const allowed = [
    'http/listener.ts',
    'db/sqlite-connection.ts',
    'db/postgres-session.ts',
    'db/postgres-listening.ts',
    // Bundles the console: the runtime is the bundler.
    'pages/console/bundle.ts',
  ]
  expect(
    findings(sources, (file, source) =>
      allowed.includes(file) ? [] : (source.match(/\bBun\.|['"]bun(:\w+)?['"]/g) ?? []),
    ),
  ).toEqual([])
})

test('only main.ts, serve.ts and serve-sandboxes.ts touch the process', () => {
  // The lock file contains the process id; the bundler is the running program.
  const [readsPid, readsPath] = ['db/sqlite-lock.ts', 'pages/console/bundle.ts']
  expect(findings(sources, (_, source) => importsOf(source).filter((name) => name === 'node:process'))).toEqual([
    `${readsPid}: node:process`,
    `${readsPath}: node:process`,
  ])
  expect(
    findings(sources, (file, source) =>
      ['main.ts', 'serve.ts', 'serve-sandboxes.ts'].includes(file)
        ? []
        : (withoutTexts(source).match(/\bprocess\./g) ?? []),
    ),
  ).toEqual([])
})

test('time and randomness come from lib', () => {
  // performance.now measures durations; it does not tell the time.
  const outside = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bgetRandomValues\b/g
  expect(
    findings(sources, (file, source) => (folderOf(file) === 'lib' ? [] : (withoutTexts(source).match(outside) ?? []))),
  ).toEqual([])
  const timing = findings(sources, (_, source) => source.match(/\bperformance\.now\b/g) ?? [])
  expect(
    timing.every((finding) => /^(db|feed|http|keys|lib|limits|sandbox|telemetry|webhooks)\//.test(finding)),
  ).toBeTrue()
})

test('the server imports only these packages', () => {
  const packages = findings(sources, (_, source) =>
    importsOf(source).filter((name) => !/^(\.|node:|bun:|bun$)/.test(name)),
  )
  expect([...new Set(packages.map((finding) => finding.split(': ')[1]))].sort()).toEqual([
    '@modelcontextprotocol/server',
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    'ipaddr.js',
    'marked',
    'prom-client',
    'yaml',
    'zod',
  ])
})

test('no file is a catch-all, and no source file is over 300 lines', () => {
  const catchAll = /(^|\/)(utils?|helpers?|common|services?|managers?|misc|index)(\.ts|\/|$)/
  expect(files.filter((file) => catchAll.test(file))).toEqual([])
  expect(findings(sources, (_, source) => (source.split('\n').length > 301 ? ['over 300 lines'] : []))).toEqual([])
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
    // The previous release and an earlier commit are other programs.
    .filter((file) => !['server/test/platform/db/previous-release.test.ts', 'bench/servers.ts'].includes(file))
    .filter((file) => readFileSync(join(repository, file), 'utf8').includes('src/main.ts'))
  expect(starters).toEqual(['server/test/harness/run/test-programs.ts'])
})

test('no test awaits a promise inside a matcher', () => {
  const awaits = (file: string) => /\)\s*\.(rejects|resolves)\b/.test(readFileSync(join(import.meta.dir, file), 'utf8'))
  expect(testFiles.filter((file) => file !== 'harness/failure-of.ts' && awaits(file))).toEqual([])
})
