import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname, normalize } from 'node:path'

/** The directory of the default DATABASE_URL: the service's own, whenever it was made. Any other may be shared. */
const ownDirectory = 'data'
export const ownerOnly = { directory: 0o700, file: 0o600 }
const othersMode = 0o077

/** Makes the file and its directory where they are missing, and tells where the file really is, past every link. */
export function makeFile(path: string): string {
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: ownerOnly.directory })
  if (normalize(directory) === ownDirectory) keepOthersOut(directory)
  makeOwnFile(path)
  const file = realpathSync(path)
  if (!statSync(file).isFile()) throw new Error('it is not a file')
  return file
}

/** For a file that has proved to be a database, and its log: others may have been able to read them. */
export function keepOthersOutOf(file: string): void {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) keepOthersOut(part)
}

/** SQLite gives its log the mode of the file itself, so this is done before SQLite sees it. */
export function makeOwnFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', ownerOnly.file))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function keepOthersOut(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  // A link was made by somebody who wanted the directory elsewhere, and perhaps shared.
  if (!found || found.isSymbolicLink() || (found.mode & othersMode) === 0) return
  try {
    chmodSync(path, found.mode & ~othersMode)
  } catch (error) {
    // It belongs to another user, who decides who may read it.
    if (codeOf(error) !== 'EPERM') throw error
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
