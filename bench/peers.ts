import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dir, 'peers')

/** Installs the peers when they are not there as their lockfile says. Why they cannot be measured, when they cannot. */
export async function installPeers(): Promise<string | undefined> {
  if (Bun.which('node') === null || Bun.which('npm') === null) return 'there is no Node.js here'
  const lockfile = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const installed = join(folder, 'node_modules/.installed-lock.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lockfile) return undefined
  const npm = Bun.spawn(['npm', 'ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [errors, exitCode] = await Promise.all([npm.stderr.text(), npm.exited])
  if (exitCode !== 0) return `npm could not install them: ${errors.trim().split('\n')[0]}`
  writeFileSync(installed, lockfile)
  return undefined
}

/** The version of a peer as it is installed. */
export const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
