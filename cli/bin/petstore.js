#!/usr/bin/env node
// Starts the command line with the Bun that npm installed: the sources in the repository, the built file in the package.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

const sources = fileURLToPath(new URL('../src/petstore.ts', import.meta.url))
const program = existsSync(sources) ? sources : fileURLToPath(new URL('../js/petstore.js', import.meta.url))
const bun = findBun()
if (bun === undefined) {
  process.stderr.write(
    `Bun is missing: npm has no package of it for ${platform} on ${arch}, or was told to leave out optional packages. Install again with --include=optional.\n`,
  )
  process.exit(1)
}
// The built files are parsed at once, so a cache of them beside the data would be of no use.
const env = program === sources ? process.env : { ...process.env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' }
const child = spawn(bun, [program, ...process.argv.slice(2)], { stdio: 'inherit', env })
// A terminal sends Ctrl-C to both; the other signals are passed on.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// A signal to npx ends it and its shell, and does not come here.
if (process.env.npm_lifecycle_event === 'npx') endWithParent()
child.on('error', ({ message }) => {
  process.stderr.write(`Bun does not start: ${message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => (signal ? endBy(signal) : process.exit(code ?? 1)))

/** The package of this platform has the program, unless the install script of the package `bun` has moved it there. */
function findBun() {
  const server = createRequire(createRequire(import.meta.url).resolve('@petstore/server/package.json'))
  const cpu = arch === 'arm64' ? 'aarch64' : arch
  const [system, file] = platform === 'win32' ? ['windows', 'bun.exe'] : [platform, 'bun']
  const places = ['', '-musl'].map((libc) => `@oven/bun-${system}-${cpu}${libc}/bin/${file}`)
  for (const place of [...places, 'bun/bin/bun.exe']) {
    try {
      return server.resolve(place)
    } catch {
      // Not installed.
    }
  }
  return undefined
}

function endWithParent() {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 250)
}

/** Ends as the child did, so that a shell sees the signal. */
function endBy(signal) {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
