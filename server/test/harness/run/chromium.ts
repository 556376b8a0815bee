// Finds a Chromium for the page tests, or installs it where that needs no confirmation.
import { existsSync } from 'node:fs'
import { installAndFind, noteMissing } from './debian-program.ts'

/** The first is built for this: it has no windows, and takes a third of the processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

function find(): string | undefined {
  const { CHROMIUM_PATH: given } = process.env
  if (given) {
    if (existsSync(given)) return given
    throw new Error(`CHROMIUM_PATH is ${given}, but the file does not exist.`)
  }
  for (const name of names) {
    const path = Bun.which(name)
    if (path) return path
  }
  return existsSync(onMac) ? onMac : undefined
}

/** The path of a Chromium; undefined if there is none and none can be installed. */
export function findChromium(): string | undefined {
  const path = find() ?? installAndFind(['chromium-headless-shell', 'fonts-dejavu-core'], find)
  if (path === undefined)
    noteMissing('Chromium (on Debian: apt-get install chromium-headless-shell; or set CHROMIUM_PATH)')
  return path
}
