// The directory of a test run: in memory, if there is room.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
/** Several times what a whole run needs at any moment. */
const neededBytes = 4 * 1024 ** 3

/**
 * Creates a directory for the temporary files of this process and all that it starts; removed when it ends. In memory because tests
 * create and delete hundreds of databases, each of hundreds of files, which on a disk takes a third of PostgreSQL's CPU time.
 */
export function createRunDirectory(): string {
  const path = createIn(memory, hasRoom) ?? (createIn(tmpdir()) as string)
  process.env.TMPDIR = path
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

function createIn(parent: string, isFit = (_path: string) => true): string | undefined {
  if (!existsSync(parent)) return undefined
  const path = mkdtempSync(join(parent, 'petstore-check-'))
  // PostgreSQL may run as another user, who needs access.
  chmodSync(path, 0o755)
  if (isFit(path)) return path
  rmSync(path, { recursive: true })
  return undefined
}

/** Whether there is room, and programs that tests build may run there: containers may forbid it. */
function hasRoom(path: string): boolean {
  const { bavail, bsize } = statfsSync(path)
  const program = join(path, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  return bavail * bsize >= neededBytes && spawnSync(program).status === 0
}
