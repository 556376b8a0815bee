// Builds dist/, the package as published: ES modules, CommonJS, types, source maps, and a package.json that names them. Inside the
// repository the sources are imported directly. The output folder may be given as an argument.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'

const here = import.meta.dir
const dist = resolve(process.argv[2] ?? join(here, 'dist'))

const formats = {
  esm: { module: 'esnext' },
  cjs: { module: 'commonjs', verbatimModuleSyntax: false },
}

// Everything is built in a folder beside dist, which takes its place when it is complete.
mkdirSync(resolve(dist, '..'), { recursive: true })
const part = mkdtempSync(`${dist}-`)
process.on('exit', () => rmSync(part, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

for (const file of ['README.md', '../LICENSE']) cpSync(join(here, file), join(part, file.replace('../', '')))
cpSync(join(here, 'src'), join(part, 'src'), { recursive: true })
const faults = await Promise.all(Object.entries(formats).map(([folder, options]) => compile(folder, options)))
const fault = faults.find((text) => text !== '')
if (fault) fail(fault)
writePackageFiles()
rmSync(dist, { recursive: true, force: true })
renameSync(part, dist)

/** Returns what the compiler finds wrong. */
async function compile(folder: string, options: object): Promise<string> {
  const config = join(part, `${folder}.json`)
  const compilerOptions = {
    ...{ noEmit: false, rewriteRelativeImportExtensions: true, target: 'es2022', rootDir: 'src', outDir: folder },
    ...{ declaration: true, declarationMap: true, sourceMap: true },
    ...options,
  }
  writeFileSync(config, JSON.stringify({ extends: join(here, 'tsconfig.json'), include: ['src'], compilerOptions }))
  const tsc = Bun.spawn([process.execPath, join(here, '../node_modules/typescript/bin/tsc'), '-p', config], {
    stdin: 'ignore',
    stdout: 'pipe',
  })
  const output = await tsc.stdout.text()
  if ((await tsc.exited) !== 0) return output || 'The compiler failed.\n'
  rmSync(config)
  const files = readdirSync(join(part, folder), { recursive: true }) as string[]
  for (const file of files.filter((name) => name.endsWith('.d.ts'))) rewriteImports(join(part, folder, file))
  return ''
}

/** The compiler rewrites the imports of code, but not those of types. */
function rewriteImports(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"))
}

function writePackageFiles(): void {
  const { private: _, scripts, ...fields } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  const filesOf = (folder: string, entry: string) => {
    const file = `./${folder}/${entry}`
    if (!existsSync(join(part, `${file}.js`))) fail(`${file}.js was not built.\n`)
    return { types: `${file}.d.ts`, default: `${file}.js` }
  }
  const entries = Object.entries<string>(fields.exports).map(([name, source]) => ({
    name,
    entry: source.replace('./src/', '').replace(/\.ts$/, ''),
  }))
  const exports = Object.fromEntries(
    entries.map(({ name, entry }) => [name, { import: filesOf('esm', entry), require: filesOf('cjs', entry) }]),
  )
  writeJson('package.json', {
    ...fields,
    main: './cjs/index.js',
    types: './cjs/index.d.ts',
    exports: { ...exports, './package.json': './package.json' },
  })
  writeJson('cjs/package.json', { type: 'commonjs', sideEffects: false })
  // For resolvers that do not read exports.
  for (const { name, entry } of entries.filter(({ name }) => name !== '.')) {
    writeJson(join(name, 'package.json'), { main: `../cjs/${entry}.js`, types: `../cjs/${entry}.d.ts` })
  }
}

function writeJson(path: string, value: object): void {
  mkdirSync(join(part, path, '..'), { recursive: true })
  writeFileSync(join(part, path), `${JSON.stringify(value, null, 2)}\n`)
}

function fail(reason: string): never {
  process.stderr.write(reason)
  process.exit(1)
}
