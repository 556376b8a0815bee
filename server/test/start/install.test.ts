import { expect, test } from 'bun:test'
import { join } from 'node:path'

const script = join(import.meta.dir, '../../../scripts/install.mjs')

test.each([[[]], [['--dev']]])('installing with %p does nothing when nothing is missing', (words) => {
  // Without npm on the path, installing would fail.
  const { exitCode, stdout, stderr } = Bun.spawnSync([Bun.which('node') ?? process.execPath, script, ...words], {
    env: { PATH: '/nonexistent' },
  })
  expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([0, '', ''])
})
