import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { installPackage } from '../../../../../sdk/test/installed.ts'
import { startTemporaryHost } from '../../../../src/sandbox/serve.ts'

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
afterAll(() => host.stop())

test('the guide’s example for Vitest passes, with the package as installed', async () => {
  const project = await installPackage()
  const example = join(import.meta.dir, '../../../../src/shop/guides/testing/vitest.mjs')
  copyFileSync(example, join(project.path, 'orders.test.mjs'))
  symlinkSync(join(import.meta.dir, 'node_modules/vitest'), join(project.path, 'node_modules/vitest'))
  const child = Bun.spawn(['node', join(import.meta.dir, 'node_modules/vitest/vitest.mjs'), 'run', '--no-color'], {
    cwd: project.path,
    env: { PATH: process.env.PATH ?? '', CI: 'true', NO_COLOR: '1', PETSTORE_SANDBOX_URL: host.url },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([exitCode, output + errors]).toEqual([0, expect.stringMatching(/Tests\s+1 passed \(1\)/)])
  project.remove()
})
