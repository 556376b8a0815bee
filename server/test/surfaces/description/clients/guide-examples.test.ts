import { afterAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { installPackage } from '../../../../../sdk/test/installed.ts'
import { debianProgram } from '../../../harness/run/debian-program.ts'
import { root, runProgram } from '../../../harness/run/run-service.ts'

// The examples of the testing guide as a reader runs them: the SDK from its tarball, the executable on the path, no Bun.

const packages = join(import.meta.dir, 'node_modules')
const examples = join(root, 'server/src/shop/guides/testing')
const project = await installPackage()
afterAll(() => project.remove())
const at = (...parts: string[]) => join(project.path, ...parts)

await project.run(process.execPath, join(root, 'scripts/compile.ts'), at('release/petstore'))
symlinkSync(join(packages, 'vitest'), at('node_modules/vitest'))
for (const name of ['node-test', 'vitest']) {
  mkdirSync(at(name))
  copyFileSync(join(examples, `${name}.mjs`), at(name, 'orders.test.mjs'))
}

async function run(path: string, ...words: string[]) {
  const env = { PATH: path, CI: 'true', NO_COLOR: '1' }
  const child = Bun.spawn(words, { cwd: project.path, env, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return [code, output + errors]
}

const nodes = {
  'the installed Node': realpathSync(Bun.which('node') ?? ''),
  'Node 24': join(packages, `node-${process.platform}-${process.arch}/bin/node`),
}
describe.each(Object.entries(nodes))('on %s', (name, node) => {
  const path = at(name)
  mkdirSync(path)
  symlinkSync(node, join(path, 'node'))
  const searchPath = `${path}:${at('release')}`

  test.skipIf(!existsSync(node))('the example for node:test passes', async () => {
    const result = await run(searchPath, 'node', '--test', 'node-test/orders.test.mjs')
    expect(result).toEqual([0, expect.stringMatching(/^(#|ℹ) pass 2$/m)])
  })

  test.skipIf(!existsSync(node))('the example for Vitest passes', async () => {
    const result = await run(searchPath, 'node', 'node_modules/vitest/vitest.mjs', 'run', '--dir', 'vitest')
    expect(result).toEqual([0, expect.stringMatching(/Tests\s+1 passed \(1\)/)])
  })
})

const pytest = debianProgram('pytest-3', ['python3-pytest'])
test.skipIf(pytest === undefined)('the example for pytest passes with a host that the executable runs', async () => {
  await using host = runProgram({
    command: [at('release/petstore'), 'sandbox', '--port', '0', '--json'],
    cwd: project.path,
    env: { PATH: '/nonexistent' },
    readyWhen: /\}\n/,
  })
  await host.ready
  copyFileSync(join(examples, 'test_orders.py'), at('test_orders.py'))
  const child = Bun.spawn([pytest ?? '', '-p', 'no:cacheprovider', 'test_orders.py'], {
    cwd: project.path,
    env: { PATH: process.env.PATH ?? '', PETSTORE_SANDBOX_URL: JSON.parse(host.output()).url },
    stdout: 'pipe',
  })
  expect([await child.stdout.text(), await child.exited]).toEqual([expect.stringContaining('2 passed'), 0])
})
