import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname, normalize } from 'node:path'

/** The directory of the default DATABASE_URL, which belongs to the service. Other directories may be shared. */
const ownDirectory = 'data'
export const ownerOnly = { directory: 0o700, file: 0o600 }
const othersMode = 0o077

/** Creates the file and its directory if they are missing, and returns the real path of the file. */
export function createFile(path: string): string {
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: ownerOnly.directory })
  if (normalize(directory) === ownDirectory) restrictAccess(directory)
  createOwnFile(path)
  const file = realpathSync(path)
  if (!statSync(file).isFile()) throw new Error('it is not a file')
  return file
}

/** Restricts access to a database and its log, which may have been readable by other users. */
export function restrictDatabaseAccess(file: string): void {
  for (const part of [file, `${file}-wal`, `${file}-shm`]) restrictAccess(part)
}

/** Creates a file that only its owner can read. Call this before SQLite opens it, because the log gets the same mode. */
export function createOwnFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', ownerOnly.file))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function restrictAccess(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // A link means that an operator put the directory elsewhere, perhaps to share it.
  if (!stat || stat.isSymbolicLink() || (stat.mode & othersMode) === 0) return
  try {
    chmodSync(path, stat.mode & ~othersMode)
  } catch (error) {
    // It belongs to another user, who decides who may read it.
    if (codeOf(error) !== 'EPERM') throw error
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code
