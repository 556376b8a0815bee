// Builds dist/, the package as published: JavaScript, types, and a package.json that names them. Inside the repository the
// sources are imported directly. The output folder may be given as an argument.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const here = import.meta.dir
const dist = resolve(process.argv[2] ?? join(here, 'dist'))
rmSync(dist, { recursive: true, force: true })

const { private: _, scripts, ...fields } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
const entries = Object.entries<string>(fields.exports)

// Code that entries share is split off, so that each class exists once.
const built = await Bun.build({
  entrypoints: entries.map(([, source]) => join(here, source)),
  outdir: dist,
  root: join(here, 'src'),
  splitting: true,
  target: 'browser',
  format: 'esm',
})
if (!built.success) throw new AggregateError(built.logs)

const tsc = join(here, '../node_modules/.bin/tsc')
const flags = [
  '--noEmit',
  'false',
  '--emitDeclarationOnly',
  '--declaration',
  '--rootDir',
  join(here, 'src'),
  '--outDir',
  dist,
]
const types = Bun.spawnSync([tsc, '-p', here, ...flags])
if (types.exitCode !== 0) throw new Error(types.stdout.toString())

const exports = Object.fromEntries(
  entries.map(([name, source]) => {
    const file = source.replace('./src/', './').replace(/\.ts$/, '')
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }]
  }),
)
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ ...fields, exports }, null, 2)}\n`)
cpSync(join(here, '../LICENSE'), join(dist, 'LICENSE'))
