// Programs that some tests need and npm does not install: found, or installed from Debian's packages if this is root.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Debian keeps some programs outside the usual path. */
const searchPath = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`

/** The path of a program; undefined if it is missing and cannot be installed: then skip the tests that need it. */
export function debianProgram(name: string, packages: readonly string[] = [name]): string | undefined {
  const find = () => Bun.which(name, { PATH: searchPath }) ?? undefined
  const path = find() ?? installAndFind(packages, find)
  if (path === undefined) noteMissing(name)
  return path
}

/** Installs packages if this is root on Debian, then looks again. */
export function installAndFind(
  packages: readonly string[],
  find: () => string | undefined,
  prepare: () => void = () => undefined,
): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined
  // A test run tries it once; its processes share a directory for temporary files.
  const tried = join(tmpdir(), `petstore-tried-${packages[0]}`)
  if (process.env.TESTS_MISSING && existsSync(tried)) return undefined
  prepare()
  const aptGet = (...words: string[]) =>
    // Test files run in several processes, and only one may install at a time.
    runUncounted(['flock', join(tmpdir(), 'petstore-apt-get.lock'), 'apt-get', ...words])
  aptGet('update')
  aptGet('install', '-y', '--no-install-recommends', ...packages)
  const found = find()
  if (process.env.TESTS_MISSING && found === undefined) writeFileSync(tried, '')
  return found
}

/** Runs a program whose processor time is not that of the test file. */
export function runUncounted(program: readonly string[]): void {
  const { resourceUsage } = Bun.spawnSync([...program], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  const file = process.env.TESTS_UNCOUNTED
  if (file) appendFileSync(file, `${Number(resourceUsage?.cpuTime.total ?? 0) / 1e6}\n`)
}

/** Tells `npm test` that tests of this file are skipped because a program is missing, not because of the engine. */
export function noteMissing(what: string): void {
  const file = process.env.TESTS_MISSING
  if (file) appendFileSync(file, `${Bun.main}\t${process.env.TEST_ENGINE}\t${what}\n`)
}
