// Installs the generators if they do not match the lockfile. Nothing else in the repository needs them.
// A separate program: a process that did not find a package does not look again.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const lockfile = readFileSync(join(import.meta.dir, 'package-lock.json'), 'utf8')
/** The lockfile of the installed packages. */
const installed = join(import.meta.dir, 'node_modules/.installed-lock.json')
const networkFault = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT/

async function install(): Promise<void> {
  // Their install scripts are not needed. They run on Bun, so npm's warnings about the Node version do not matter.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
  const npm = Bun.spawn(['npm', 'ci', '--prefix', import.meta.dir, ...flags], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [errors, exitCode] = await Promise.all([npm.stderr.text(), npm.exited])
  if (exitCode === 0) return writeFileSync(installed, lockfile)
  const reason = networkFault.test(errors)
    ? 'the npm registry cannot be reached'
    : 'npm ci failed in server/test/surfaces/description/clients'
  process.stderr.write(`The generators of clients could not be installed: ${reason}.\n${errors}`)
  process.exitCode = 1
}

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== lockfile) await install()
