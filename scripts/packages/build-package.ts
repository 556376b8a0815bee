import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const license = join(import.meta.dir, '../../LICENSE')

/** A package while it is built. */
export interface Part {
  /** The folder that becomes the package. */
  readonly path: string
  /** The manifest of the sources, without what is for the repository only. */
  readonly manifest: Readonly<Record<string, unknown>> & { readonly exports: Readonly<Record<string, string>> }
  writeJson(path: string, value: object): void
}

/**
 * Builds the package of a workspace as it is published: its README, the licence, what `fill` writes, and a manifest with the fields that
 * `fill` returns. Everything is built in a folder beside `dist`, which takes its place when it is complete.
 */
export async function buildPackage(workspace: string, fill: (part: Part) => Promise<object>): Promise<void> {
  const dist = resolve(process.argv[2] ?? join(workspace, 'dist'))
  mkdirSync(resolve(dist, '..'), { recursive: true })
  const path = mkdtempSync(`${dist}-`)
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
  const writeJson = (file: string, value: object) => {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), `${JSON.stringify(value, null, 2)}\n`)
  }

  cpSync(license, join(path, 'LICENSE'))
  for (const file of ['README.md', 'METHODS.md'].filter((name) => existsSync(join(workspace, name)))) {
    cpSync(join(workspace, file), join(path, file))
  }
  const { scripts, devDependencies, ...manifest } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8'))
  try {
    writeJson('package.json', { ...manifest, ...(await fill({ path, manifest, writeJson })) })
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
  rmSync(dist, { recursive: true, force: true })
  renameSync(path, dist)
}
