// libfaketime, with which a test runs a process whose clock is wrong. Found, or installed where that can be done without asking.
import { existsSync } from 'node:fs'
import { installAndFind, noteMissing } from './debian-program.ts'

const folders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/local/lib']
/** The one for programs with several threads. */
const paths = folders.map((folder) => `${folder}/faketime/libfaketimeMT.so.1`)
const find = (): string | undefined => paths.find((path) => existsSync(path))

/** The path of the library; undefined where there is none and none can be installed. */
function findFaketime(): string | undefined {
  const path = find() ?? installAndFind(['faketime'], find)
  if (path === undefined) noteMissing('libfaketime (on Debian: apt-get install faketime)')
  return path
}

/**
 * The environment of a process whose clock is set as `file` says, for instance `+1d` or `-300s`, as soon as that changes. Its
 * running time is right, as on a machine with a wrong clock. Undefined where there is no libfaketime.
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
