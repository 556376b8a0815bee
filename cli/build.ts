// Builds dist/, the package as published: JavaScript for Bun, and the program that finds Bun and starts it. The output folder may be given
// as an argument.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../scripts/packages/build-package.ts'
import { bundling } from '../scripts/packages/bundle.ts'

const here = import.meta.dir

await buildPackage(here, async ({ path }) => {
  cpSync(join(here, 'bin'), join(path, 'bin'), { recursive: true })
  const { success, logs } = await Bun.build({
    ...bundling,
    entrypoints: [join(here, 'src/petstore.ts')],
    outdir: join(path, 'js'),
    target: 'bun',
    external: ['@petstore/sdk', '@petstore/server', 'commander', 'yaml', 'zod'],
  })
  if (!success) throw new AggregateError(logs, logs.join('\n'))
  return {}
})
