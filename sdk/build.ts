// Makes dist/, the package as it would be published: one file of JavaScript, its types, and a package.json that names them.
// Inside the repository the sources are imported as they are. Takes another folder than dist/ as its argument.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const here = import.meta.dir
const dist = resolve(process.argv[2] ?? join(here, 'dist'))
rmSync(dist, { recursive: true, force: true })

const built = await Bun.build({
  entrypoints: [join(here, 'src/index.ts')],
  outdir: dist,
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

const { private: _, scripts, ...fields } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
const exports = { '.': { types: './index.d.ts', default: './index.js' } }
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ ...fields, exports }, null, 2)}\n`)
cpSync(join(here, '../LICENSE'), join(dist, 'LICENSE'))
