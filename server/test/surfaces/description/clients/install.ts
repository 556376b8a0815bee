// Installs the packages of a folder, by default those of the generators, if they do not match its lockfile. Few tests need them.
// A separate program: a process that did not find a package does not look again.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const folder = resolve(process.argv[2] ?? import.meta.dir)
const lockfile = readFileSync(join(folder, 'package-lock.json'), 'utf8')
/** The lockfile of the installed packages. */
const installed = join(folder, 'node_modules/.installed-lock.json')
const networkFault = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT/

async function install(): Promise<void> {
  // Their install scripts are not needed. They run on Bun, so npm's warnings about the Node version do not matter.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
  const npm = Bun.spawn(['npm', 'ci', '--prefix', folder, ...flags], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [errors, exitCode] = await Promise.all([npm.stderr.text(), npm.exited])
  if (exitCode === 0) return writeFileSync(installed, lockfile)
  const reason = networkFault.test(errors) ? 'the npm registry cannot be reached' : 'npm ci failed'
  process.stderr.write(`The packages of ${relative('.', folder)} could not be installed: ${reason}.\n${errors}`)
  process.exitCode = 1
}

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lockfile) await install()
