import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a folder with these programs alone, for a search path. A program has the file given, or the one that is installed. */
export function makeSearchPath(folder: string, ...programs: readonly (string | readonly [string, string])[]): string {
  mkdirSync(folder)
  for (const each of programs) {
    const [name, file] = typeof each === 'string' ? [each, Bun.which(each) ?? ''] : each
    symlinkSync(realpathSync(file), join(folder, name))
  }
  return folder
}
