// Finds libfaketime, with which a test runs a process with a wrong clock, or installs it where that needs no confirmation.
import { existsSync } from 'node:fs'
import { installAndFind, noteMissing } from './debian-program.ts'

const folders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/local/lib']
/** The version for programs with several threads. */
const paths = folders.map((folder) => `${folder}/faketime/libfaketimeMT.so.1`)
const find = (): string | undefined => paths.find((path) => existsSync(path))

/** The path of the library; undefined if there is none and none can be installed. */
function findFaketime(): string | undefined {
  const path = find() ?? installAndFind(['faketime'], find)
  if (path === undefined) noteMissing('libfaketime (on Debian: apt-get install faketime)')
  return path
}

/**
 * The environment of a process whose clock follows the offset in `file`, such as `+1d` or `-300s`. Its monotonic clock stays right,
 * as on a machine with a wrong clock. Undefined without libfaketime.
 */
export function fakedClock(file: string): Record<string, string> | undefined {
  const library = findFaketime()
  return library === undefined
    ? undefined
    : {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        FAKETIME_DONT_RESET: '1',
      }
}
