import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

/** Whether the test that a document names exists. Paths are below `server/test`, unless they start with a workspace. */
export function isNamedTestThere(file: string, title: string): boolean {
  const folder = /^(cli|sdk|console|scripts)\//.test(file) ? '' : 'server/test'
  const path = join(root, folder, `${file}.test.ts`)
  return existsSync(path) && readFileSync(path, 'utf8').includes(title)
}
