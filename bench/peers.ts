import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dir, 'peers')

/** Installs the peers if they do not match their lockfile. Returns why they cannot be measured, if so. */
export async function installPeers(): Promise<string | undefined> {
  if (Bun.which('node') === null || Bun.which('npm') === null) return 'Node.js is not installed'
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

/** The installed version of a peer. */
export const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
