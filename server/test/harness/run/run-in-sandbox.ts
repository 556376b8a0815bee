import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { newDirectory } from '../scratch.ts'
import { root } from './run-service.ts'

/** Runs tests of the service against sandboxes instead, in a separate process. Throws unless all pass. */
export async function runInSandbox(files: readonly string[], names = ''): Promise<void> {
  using directory = newDirectory()
  const command = [process.execPath, 'test', '--timeout', '120000', '--test-name-pattern', names]
  const child = Bun.spawn([...command, ...files.map((file) => join(root, file))], {
    cwd: root,
    env: { ...process.env, TEST_IN_SANDBOX: directory.path },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0 || !/ [1-9]\d* pass\n/.test(output)) throw new Error(output)
  if (readdirSync(directory.path).length < files.length) throw new Error('These tests use no sandbox.')
}
