import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, win32 } from 'node:path'
import { eventually } from '../../server/test/harness/eventually.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { findPrograms } from '../src/testing/spawn-host.ts'
import { installPackage } from './installed.ts'

const project = await installPackage()
afterAll(() => project.remove())
// A search path with Node, without Bun, and with what a test adds.
const path = join(project.path, 'path')
mkdirSync(path)
symlinkSync(realpathSync(Bun.which('node') ?? ''), join(path, 'node'))
const program = join(path, 'petstore')

/** Of the program under test: no host of sandboxes could start with them. */
const settings = { HOST: '0.0.0.0', BASE_URL: '/', PORT: 'none', LOG_LEVEL: 'chatty' }

async function node(...words: string[]) {
  const child = Bun.spawn(['node', ...words], {
    cwd: project.path,
    env: { PATH: path, ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, output, errors }
}

test('the package as installed starts a host from Node alone, and passes the guide’s example for node:test', async () => {
  copyFileSync(join(import.meta.dir, '../../server/src/shop/guides/testing/node-test.mjs'), join(project.path, 'a.mjs'))
  symlinkSync(join(import.meta.dir, '../../cli/bin/petstore.js'), program)
  const { code, output } = await node('--test', 'a.mjs')
  rmSync(program)
  expect([code, output.match(/^# pass (\d+)/m)?.[1]]).toEqual([0, '2'])
})

test('on Windows the script of the package is found, and not what npm puts into .bin', () => {
  const script = 'C:\\work\\node_modules\\@petstore\\cli\\bin\\petstore.js'
  const files = new Set([script, 'C:\\work\\node_modules\\.bin\\petstore'])
  const system = { ...win32, existsSync: (file: string) => files.has(file), cwd: () => 'C:\\work\\app' }
  expect([...findPrograms({ ...system, platform: 'win32' })]).toEqual([script])
})

test('a host that cannot be started says why, and what to install or run', async () => {
  const script = "await (await import('@petstore/sdk/testing')).startSandbox()"
  const start = () => node('--input-type=module', '-e', script)
  const advice = /Install @petstore\/cli, .* set PETSTORE_SANDBOX_URL/
  const missing = await start()
  expect([missing.code, missing.errors]).toEqual([1, expect.stringMatching(advice)])
  expect(missing.errors).toContain('There is no program `petstore` in node_modules or on the PATH.')

  writeFileSync(program, '#!/bin/sh\necho >&2 "not today"; exit 3\n', { mode: 0o755 })
  const failing = await start()
  expect([failing.code, failing.errors]).toEqual([1, expect.stringMatching(advice)])
  expect(failing.errors).toContain(`${program} sandbox ended with 3: not today`)

  writeFileSync(program, '#!/nowhere/node\n')
  const broken = await start()
  expect([broken.code, broken.errors]).toEqual([1, expect.stringMatching(advice)])
  expect(broken.errors).toContain(`${program} does not start`)
})

test('without a host it starts one, which ends with the tests', async () => {
  using project = newDirectory()
  const file = join(project.path, 'example.ts')
  const entry = JSON.stringify(join(import.meta.dir, '../src/testing/index.ts'))
  await Bun.write(
    file,
    `const { startSandbox } = await import(${entry})
     const shop = await startSandbox()
     console.log(shop.url, (await shop.client().pets.profile(1)).name)`,
  )
  // From the repository, whose node_modules has the program.
  const child = Bun.spawn([process.execPath, file], { env: { PATH: process.env.PATH ?? '' }, stdout: 'pipe' })
  const [url = '', name] = (await child.stdout.text()).trim().split(' ')
  expect([await child.exited, name]).toEqual([0, 'Rex'])
  const isGone = () =>
    fetch(url).then(
      () => false,
      () => true,
    )
  await eventually(isGone)
})
