// Builds dist/, the package as published: JavaScript for Bun, and the program that finds Bun and starts it. The output folder may be given
// as an argument.
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from '../scripts/packages/build-package.ts'
import { bundling } from '../scripts/packages/bundle.ts'
import { thirdPartyNotices } from '../scripts/packages/notices.ts'

const here = import.meta.dir

await buildPackage(here, async ({ path }) => {
  cpSync(join(here, 'bin'), join(path, 'bin'), { recursive: true })
  writeFileSync(join(path, 'THIRD-PARTY-LICENSES'), thirdPartyNotices())
  const { success, logs } = await Bun.build({
    ...bundling,
    entrypoints: [join(here, 'src/petstore.ts')],
    outdir: join(path, 'js'),
    target: 'bun',
    external: ['@petstore/sdk', '@petstore/server', 'commander'],
  })
  if (!success) throw new AggregateError(logs, logs.join('\n'))
  return {}
})
