import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a folder with only these programs, for a search path. Each is the given file, or the installed program. */
export function makeSearchPath(folder: string, ...programs: readonly (string | readonly [string, string])[]): string {
  mkdirSync(folder)
  for (const each of programs) {
    const [name, file] = typeof each === 'string' ? [each, Bun.which(each) ?? ''] : each
    symlinkSync(realpathSync(file), join(folder, name))
  }
  return folder
}
