import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const installed = join(import.meta.dir, '../../node_modules')
const tsc = join(installed, 'typescript/bin/tsc')

interface Configuration {
  readonly extends: string
  readonly compilerOptions: object
  readonly include?: readonly string[]
  readonly files?: readonly string[]
}

/** Runs the compiler with a configuration, which is written to a file and removed again. Throws what it finds wrong. */
export async function compile(file: string, configuration: Configuration): Promise<void> {
  // The file may be anywhere, and the compiler looks for types beside it.
  const compilerOptions = { ...configuration.compilerOptions, typeRoots: [join(installed, '@types')] }
  writeFileSync(file, JSON.stringify({ ...configuration, compilerOptions }))
  const child = Bun.spawn([process.execPath, tsc, '-p', file], { stdin: 'ignore', stdout: 'pipe' })
  const output = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(output.trim() || 'The compiler failed.')
  rmSync(file)
}

/** The compiler rewrites the imports of code to `.js`, but not those of types. */
export function rewriteImports(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
    const path = join(folder, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
}
