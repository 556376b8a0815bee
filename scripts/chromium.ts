// Where a Chromium for the tests of the pages is. Found, or installed where that can be done without asking.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

function find(): string | undefined {
  const { CHROMIUM_PATH: given } = process.env
  if (given) {
    if (existsSync(given)) return given
    throw new Error(`CHROMIUM_PATH is ${given}, but there is no such file.`)
  }
  for (const name of names) {
    const path = Bun.which(name)
    if (path) return path
  }
  return existsSync(onMac) ? onMac : undefined
}

/** The path of a Chromium; installs Debian's when there is none and this is root on Debian. */
export function chromiumPath(): string {
  const found = find()
  if (found) return found
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
    spawnSync('apt-get', ['update'], options)
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], options)
    const installed = find()
    if (installed) return installed
  }
  throw new Error(
    'The tests of the pages need Chromium. Install it (on Debian: apt-get install chromium), or set CHROMIUM_PATH to the program.',
  )
}
