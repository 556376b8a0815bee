import { expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import { newDirectory } from '../scratch.ts'
import { runTests } from './test-run.ts'

test('installing a program is not processor time of the test file that needs it', async () => {
  using directory = newDirectory()
  const file = join(directory.path, 'installs.test.ts')
  const busySeconds = 2
  await Bun.write(
    file,
    `import { test } from 'bun:test'
     import { runUncounted } from ${JSON.stringify(join(import.meta.dir, 'debian-program.ts'))}
     runUncounted(['sh', '-c', 'ulimit -t ${busySeconds}; while :; do :; done'])
     test('passes', () => {})`,
  )
  const files = [relative('.', file)]
  const run = await runTests({ files, env: {}, timeoutMs: 60_000, scratch: directory.path })
  expect(run.cases.map(({ outcome }) => outcome)).toEqual(['passed'])
  expect(run.processorSeconds).toBeGreaterThan(0)
  expect(run.processorSeconds).toBeLessThan(busySeconds)
})
