import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { closeConnection, conditionAfter, connect, run } from './sqlite-connection.ts'
import { createOwnFile, ownerOnly } from './sqlite-file.ts'

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
 * Lets only one service use a file: two would count separately and admit twice the limits. It is a SQLite lock on a separate file, which
 * ends with the process, however that ends, and does not exclude other commands.
 */
export function lockForServing(file: string): ServingLock {
  // Not in the locked file: opening and closing it would release the locks that this process has on it.
  const holderFile = `${file}-pid`
  createOwnFile(`${file}-lock`)
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

/** The same lock for a command. Throws if a service is running; none can start until the lock is released. */
export function lockUnlessServed(file: string): ServingLock {
  try {
    return lockForServing(file)
  } catch (error) {
    if (!(error instanceof ServedAlready)) throw error
    throw new Error(`The database ${file} is served by ${error.holder}. Stop it first. Nothing was changed.`)
  }
}

/** Read only while the lock is taken, so a file left by a killed process is never used. */
function holderIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'another process'
  }
}
