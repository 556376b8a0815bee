// Builds dist/petstore.js, the command line for Node as the package has it; npm pack runs this first. The SDK and commander stay
// dependencies. Commands on the database keep their imports of the server, which the package does not have: see load-server.ts.
// The output folder may be given as an argument.
import { cpSync } from 'node:fs'
import { join, resolve } from 'node:path'

const dist = resolve(process.argv[2] ?? join(import.meta.dir, 'dist'))
const { success, logs } = await Bun.build({
  entrypoints: [join(import.meta.dir, 'src/petstore.ts')],
  outdir: dist,
  target: 'node',
  format: 'esm',
  packages: 'external',
})
if (!success) throw new AggregateError(logs)
cpSync(join(import.meta.dir, '../LICENSE'), join(dist, 'LICENSE'))
