import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage, type Part } from './build-package.ts'
import { compile, rewriteImports } from './compile-types.ts'

const formats = {
  esm: { module: 'esnext' },
  cjs: { module: 'commonjs', verbatimModuleSyntax: false },
}

/**
 * Builds a package of code that runs anywhere: ES modules, CommonJS, types, source maps, and a manifest that names them. Inside the
 * repository the sources are imported directly.
 */
export const buildLibrary = (workspace: string): Promise<void> =>
  buildPackage(workspace, async (part) => {
    cpSync(join(workspace, 'src'), join(part.path, 'src'), { recursive: true })
    // One after the other, so that a failure leaves no compiler running that still writes.
    for (const [folder, options] of Object.entries(formats)) await compileFormat(workspace, part, folder, options)
    return writeEntries(part)
  })

async function compileFormat(workspace: string, { path }: Part, folder: string, options: object): Promise<void> {
  const compilerOptions = {
    ...{ noEmit: false, rewriteRelativeImportExtensions: true, target: 'es2022', rootDir: 'src', outDir: folder },
    ...{ declaration: true, declarationMap: true, sourceMap: true },
    ...options,
  }
  const configuration = { extends: join(workspace, 'tsconfig.json'), include: ['src'], compilerOptions }
  await compile(join(path, `${folder}.json`), configuration)
  rewriteImports(join(path, folder))
}

function writeEntries({ path, manifest, writeJson }: Part): object {
  const entries = Object.entries(manifest.exports).map(([name, source]) => ({
    name,
    entry: source.replace('./src/', '').replace(/\.ts$/, ''),
  }))
  const filesOf = (folder: string, entry: string) => {
    const file = `./${folder}/${entry}`
    if (!existsSync(join(path, `${file}.js`))) throw new Error(`${file}.js was not built.`)
    return { types: `${file}.d.ts`, default: `${file}.js` }
  }
  writeJson('cjs/package.json', { type: 'commonjs', sideEffects: false })
  // For resolvers that do not read exports.
  for (const { name, entry } of entries.filter(({ name }) => name !== '.')) {
    const up = name
      .split('/')
      .slice(1)
      .map(() => '..')
      .join('/')
    writeJson(join(name, 'package.json'), { main: `${up}/cjs/${entry}.js`, types: `${up}/cjs/${entry}.d.ts` })
  }
  const exports = Object.fromEntries(
    entries.map(({ name, entry }) => [name, { import: filesOf('esm', entry), require: filesOf('cjs', entry) }]),
  )
  const main = entries.some(({ name }) => name === '.') && { main: './cjs/index.js', types: './cjs/index.d.ts' }
  return { ...main, exports: { ...exports, './package.json': './package.json' } }
}
