import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { root } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

test.each(['success', 'refusals'])(
  'what %s.test.ts says of the service holds in a sandbox',
  async (name) => {
    using directory = newDirectory()
    const child = Bun.spawn(
      [process.execPath, 'test', '--timeout', '120000', join(root, `server/test/contract/${name}.test.ts`)],
      { cwd: root, env: { ...process.env, TEST_IN_SANDBOX: directory.path }, stdout: 'pipe', stderr: 'pipe' },
    )
    const [output, code] = await Promise.all([child.stderr.text(), child.exited])
    expect(output).toContain(' 0 fail')
    expect(code).toBe(0)
  },
  300_000,
)
