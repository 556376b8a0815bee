// Builds dist/, the package as published: JavaScript for Bun with pages, guides, console and the packages it needs inside, and types. The
// output folder may be given as an argument.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPackage } from '../scripts/packages/build-package.ts'
import { bundling } from '../scripts/packages/bundle.ts'
import { compile, rewriteImports } from '../scripts/packages/compile-types.ts'
import { thirdPartyNotices } from '../scripts/packages/notices.ts'
import { copyReachable } from '../scripts/packages/reachable-types.ts'

const here = import.meta.dir
const sources = join(here, 'src')

await buildPackage(here, async ({ path, manifest }) => {
  const entries = Object.entries(manifest.exports).filter(([, file]) => file.endsWith('.ts'))
  const files = entries.map(([, file]) => join(here, file))
  await Promise.all([bundle(files, join(path, 'js')), writeTypes(files, join(path, 'types'))])
  writeFileSync(join(path, 'THIRD-PARTY-LICENSES'), thirdPartyNotices())
  const exports = entries.map(([name, file]) => {
    const place = file.replace('./src/', '').replace(/\.ts$/, '')
    return [name, { types: `./types/${place}.d.ts`, default: `./js/${place}.js` }]
  })
  return {
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
    dependencies: {},
    // Bun itself, one package for each platform. The package `bun` around them would need a script at the installation.
    optionalDependencies: packagesOfBun(),
  }
})

async function bundle(entrypoints: string[], outdir: string): Promise<void> {
  const options = { target: 'bun' as const, root: sources }
  const { success, logs } = await Bun.build({ ...bundling, ...options, entrypoints, outdir })
  if (!success) throw new AggregateError(logs, logs.join('\n'))
}

async function writeTypes(files: string[], to: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-types-'))
  try {
    const compilerOptions = {
      ...{ noEmit: false, emitDeclarationOnly: true, declaration: true, rewriteRelativeImportExtensions: true },
      ...{ rootDir: join(here, '..'), outDir: folder },
    }
    const ambient = join(sources, 'surfaces/pages/text-files.d.ts')
    await compile(join(folder, 'tsconfig.json'), {
      extends: join(here, '../tsconfig.json'),
      files: [...files, ambient],
      include: [],
      compilerOptions,
    })
    rewriteImports(folder)
    const built = join(folder, 'server/src')
    copyReachable(
      built,
      to,
      files.map((file) => file.replace(`${sources}/`, '').replace(/\.ts$/, '.d.ts')),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function packagesOfBun(): Record<string, string> {
  const file = Bun.resolveSync('bun/package.json', here)
  return JSON.parse(readFileSync(file, 'utf8')).optionalDependencies
}
