import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { closeConnection, conditionAfter, connect, run } from './sqlite-connection.ts'
import { makeOwnFile, ownerOnly } from './sqlite-file.ts'

/** Another process serves the same file. */
export class ServedAlready extends Error {
  constructor(readonly holder: string) {
    super(`served by ${holder}`)
  }
}

export interface ServingLock {
  release(): void
}

/**
 * Two services on one file would each count for themselves and admit twice what is allowed, so only one may serve it. The lock is
 * SQLite's, on a file beside the database: it ends with the process, however that ends, and keeps no other command out.
 */
export function lockForServing(file: string): ServingLock {
  // Not in the locked file: to read it and close it again would end the locks that this very process has on it.
  const holderFile = `${file}-pid`
  makeOwnFile(`${file}-lock`)
  const lock = connect(`${file}-lock`)
  try {
    run(lock, 'BEGIN IMMEDIATE')
  } catch (error) {
    closeConnection(lock)
    throw conditionAfter(error) === 'locked' ? new ServedAlready(holderIn(holderFile)) : error
  }
  writeFileSync(holderFile, `process ${pid} on ${hostname()}\n`, { mode: ownerOnly.file })
  return {
    release() {
      rmSync(holderFile, { force: true })
      closeConnection(lock)
    },
  }
}

/** The same for a command: while it holds the lock no service starts on the file, and it refuses where one runs. */
export function lockUnlessServed(file: string): ServingLock {
  try {
    return lockForServing(file)
  } catch (error) {
    if (!(error instanceof ServedAlready)) throw error
    throw new Error(`The database ${file} is served by ${error.holder}. Stop that first; nothing was changed.`)
  }
}

/** Only asked while the lock is held: a file that a killed process has left behind is never believed. */
function holderIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'another process'
  }
}
