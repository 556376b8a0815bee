#!/usr/bin/env node
// Starts the command line. The installed package has it as JavaScript for Node; the repository has its sources, and a Bun to run them.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sources = fileURLToPath(new URL('../src/petstore.ts', import.meta.url))
if (existsSync(sources)) runSources()
else await import('../dist/petstore.js')

function runSources() {
  const bun = join(dirname(createRequire(sources).resolve('bun/package.json')), 'bin/bun.exe')
  const child = spawn(bun, [sources, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both; the other signals are passed on.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => {
    process.stderr.write(`Bun does not start (${message}). Run npm start once: it installs what is missing.\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => (signal ? endBy(signal) : process.exit(code ?? 1)))
}

/** Ends as the child did, so that a shell sees the signal. */
function endBy(signal) {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
