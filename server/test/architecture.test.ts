import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { statusDiagram } from '../src/stock/diagram.ts'

// The rules of ARCHITECTURE.md, held against the code.

const root = join(import.meta.dir, '../src')
const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file)).sort()
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

/** The folder of a file, or its own name when it stands at the top. */
const roomOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] as string) : file)

const architecture = readFileSync(join(import.meta.dir, '../../ARCHITECTURE.md'), 'utf8')

/** Who may import whom, besides the own folder: the table of ARCHITECTURE.md. */
const mayImport: Record<string, readonly string[]> = Object.fromEntries(
  [...architecture.matchAll(/^\| `([\w.-]+)` \| ((?:`[\w.-]+`(?:, )?)+|nothing) \|$/gm)].map(
    ([, room = '', list = '']) => [room, [...list.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name as string)],
  ),
)

const importStatement = /^(?:import|export)(?: type)? (?:[\w*{][^'"=]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm
const importsOf = (file: string): string[] =>
  [...(sources.get(file) as string).matchAll(importStatement)].map(([, named, loaded]) => (named ?? loaded) as string)
const ownImportsOf = (file: string): string[] =>
  importsOf(file)
    .filter((name) => name.startsWith('.') && name.endsWith('.ts'))
    .map((name) => normalize(join(dirname(file), name)))

/** Code that a page shows as a sample is text here, not code. */
const withoutTexts = (source: string): string => source.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, "''")

const findings = (rule: (file: string, source: string) => string[]): string[] =>
  [...sources].flatMap(([file, source]) => rule(file, source).map((what) => `${file}: ${what}`))

test('every file imports only what its folder may', () => {
  const isAllowed = (file: string, target: string) => {
    const room = roomOf(file)
    const allowed = mayImport[room] ?? []
    return roomOf(target) === room || allowed.includes(roomOf(target))
  }
  expect(findings((file) => ownImportsOf(file).filter((target) => !isAllowed(file, target)))).toEqual([])
})

test('the table names every folder, and only folders there are', () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(mayImport).sort())
})

test('every file that ARCHITECTURE.md names with its folder is there', () => {
  const named = [...architecture.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.tsx?)`/g)].map(([, file]) => file as string)
  const places = [root, join(root, '../..')]
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((file) => !places.some((place) => existsSync(join(place, file))))).toEqual([])
})

test('no folder needs itself by way of others', () => {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (mayImport[from] ?? []).some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))))
  expect(Object.keys(mayImport).filter((room) => reaches(room, room))).toEqual([])
})

test('ARCHITECTURE.md draws how a status moves as the rules say it', () => {
  expect(architecture).toContain(statusDiagram())
})

test('a feature’s operations know nothing of storage', () => {
  const storage = /^db\/|\/(store|routes)\.ts$/
  expect(
    findings((file) => (file.endsWith('/operations.ts') ? ownImportsOf(file).filter((to) => storage.test(to)) : [])),
  ).toEqual([])
})

test('a feature’s store knows nothing of HTTP', () => {
  const asks = (file: string) => file.endsWith('/store.ts')
  // Scopes are words of the data model; they live where operations name them.
  const http = (to: string) => /^(http|api)\//.test(to) && to !== 'api/scopes.ts'
  expect(findings((file) => (asks(file) ? ownImportsOf(file).filter(http) : []))).toEqual([])
})

test('no file imports itself by way of others', () => {
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

test('only the listener, the two engines and the bundling of the console know the runtime', () => {
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
  // The lock says which process has it; the bundler is the program that runs.
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
  // performance.now measures how long something took; it does not tell the time.
  const outside = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bgetRandomValues\b/g
  expect(
    findings((file, source) => (roomOf(file) === 'lib' ? [] : (withoutTexts(source).match(outside) ?? []))),
  ).toEqual([])
  const timing = findings((_, source) => source.match(/\bperformance\.now\b/g) ?? [])
  expect(timing.every((finding) => /^(db|feed|http|keys|lib|limits|telemetry|webhooks)\//.test(finding))).toBeTrue()
})

test('packages are few and named here', () => {
  const packages = findings((file) => importsOf(file).filter((name) => !/^(\.|node:|bun:|bun$)/.test(name)))
  expect([...new Set(packages.map((finding) => finding.split(': ')[1]))].sort()).toEqual(['marked', 'yaml', 'zod'])
})

test('no file is a drawer for odds and ends, and none is too long to read', () => {
  const drawer = /(^|\/)(utils?|helpers?|common|services?|managers?|misc|index)(\.ts|\/|$)/
  expect(files.filter((file) => drawer.test(file))).toEqual([])
  expect(findings((_, source) => (source.split('\n').length > 301 ? ['over 300 lines'] : []))).toEqual([])
})

/** Folders of tests that are about the whole service, not about one folder of it. `start` is for the files at the top. */
const wholeService = ['cluster', 'contract', 'harness', 'model', 'start', 'torture']
const testFiles = (readdirSync(import.meta.dir, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts'))

test('a test stands in a folder named like that of what it tests', () => {
  const known = new Set([...files.map(roomOf), ...wholeService])
  const elsewhere = testFiles.filter((file) => file !== 'architecture.test.ts' && !known.has(roomOf(file)))
  expect(elsewhere).toEqual([])
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

test('no test waits for a promise inside a matcher', () => {
  const waits = (file: string) => /\)\s*\.(rejects|resolves)\b/.test(readFileSync(join(import.meta.dir, file), 'utf8'))
  expect(testFiles.filter((file) => file !== 'harness/failure-of.ts' && waits(file))).toEqual([])
})
