// Installs missing packages. If all packages of the lockfile are installed, npm is not called.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const nodeMin = 20
if (Number(process.versions.node.split('.')[0]) < nodeMin) {
  process.stderr.write(
    `This needs Node ${nodeMin} or newer, and you have ${process.versions.node}. Install one from https://nodejs.org.\n`,
  )
  process.exit(1)
}
const withDev = process.argv.includes('--dev')
const root = fileURLToPath(new URL('..', import.meta.url))
const readJson = (path) => JSON.parse(readFileSync(`${root}${path}`, 'utf8'))

function missing() {
  const installedPath = 'node_modules/.package-lock.json'
  if (!existsSync(root + installedPath)) return true
  const installed = readJson(installedPath).packages
  const wanted = Object.entries(readJson('package-lock.json').packages)
  return wanted.some(
    ([path, { version, dev, optional, devOptional, link }]) =>
      path.startsWith('node_modules/') &&
      !optional &&
      !devOptional &&
      (withDev || !dev) &&
      (link ? !existsSync(root + path) : installed[path]?.version !== version),
  )
}

function run(command, args) {
  return spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // There npm is a script of the shell. A path with spaces would not get through it.
    shell: process.platform === 'win32' && command === 'npm',
  }).status
}

if (missing()) {
  const args = [
    'ci',
    '--ignore-scripts=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...(withDev ? ['--include=dev'] : ['--omit=dev']),
  ]
  process.stdout.write('Installing missing packages (npm ci)…\n')
  if (run('npm', args) !== 0) {
    process.stderr.write(
      'npm could not install the packages; its reason is above. This first step needs a network that reaches the npm registry, and about 500 MB of disk. Then try again.\n',
    )
    process.exit(1)
  }
}
// npm may be configured to skip install scripts. Bun installs its binary in one, so it is run here if npm skipped it.
const bun = 'node_modules/bun/bin/bun.exe'
const works = () => spawnSync(bun, ['--version'], { cwd: root }).status === 0
if (!works() && (run(process.execPath, ['node_modules/bun/install.js']) !== 0 || !works())) {
  process.stderr.write(
    'Bun does not start on this machine. Delete node_modules and try again with install scripts enabled.\n',
  )
  process.exit(1)
}
