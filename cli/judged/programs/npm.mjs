// npm: publishes a tiny package, or looks at two. Its folder, cache and settings are new.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeCalls } from './make-calls.mjs'

const npm = join(dirname(createRequire(import.meta.url).resolve('npm/package.json')), 'bin/npm-cli.js')
const folder = mkdtempSync(join(tmpdir(), 'judged-npm-'))
writeFileSync(join(folder, 'package.json'), '{ "name": "judged-package", "version": "1.0.0" }\n')

function run(...words) {
  const { status } = spawnSync(process.execPath, [npm, ...words], {
    cwd: folder,
    env: {
      ...process.env,
      npm_config_userconfig: join(folder, '.npmrc'),
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`npm ${words.join(' ')} ended with ${status}.`)
}

try {
  await makeCalls({
    change: async () => run('publish'),
    reads: ['judged-a', 'judged-b'].map((name) => async () => run('view', name, 'version')),
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
