import { expect, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDirectory } from '../harness/scratch.ts'

const script = join(import.meta.dir, '../../../scripts/install.mjs')

test.each([[[]], [['--dev']]])('installing with %p does nothing when nothing is missing', (words) => {
  // Without npm on the path, installing would fail.
  const { exitCode, stdout, stderr } = Bun.spawnSync([Bun.which('node') ?? process.execPath, script, ...words], {
    env: { PATH: '/nonexistent' },
  })
  expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([0, '', ''])
})

test('a Node that is too old is told which one is needed', () => {
  const older = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "18.20.0" })'
  const { exitCode, stderr } = Bun.spawnSync([Bun.which('node') ?? '', '--import', older, script])
  expect([exitCode, stderr.toString()]).toEqual([
    1,
    'This needs Node 20 or newer, and you have 18.20.0. Install one from https://nodejs.org.\n',
  ])
})

test('if npm cannot install, the start says what it needs', () => {
  using home = newDirectory()
  for (const folder of ['bin', 'scripts']) mkdirSync(join(home.path, folder))
  cpSync(script, join(home.path, 'scripts/install.mjs'))
  writeFileSync(join(home.path, 'package-lock.json'), '{"packages":{}}')
  const npm = join(home.path, 'bin/npm')
  writeFileSync(npm, '#!/bin/sh\necho "npm error network" >&2\nexit 1\n')
  chmodSync(npm, 0o755)
  const { exitCode, stderr } = Bun.spawnSync([Bun.which('node') ?? '', join(home.path, 'scripts/install.mjs')], {
    env: { PATH: `${join(home.path, 'bin')}:/bin:/usr/bin` },
  })
  expect(exitCode).toBe(1)
  expect(stderr.toString()).toMatch(/^npm error network\nnpm could not install the packages; .+ Then try again\.\n$/)
})
