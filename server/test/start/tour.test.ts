import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSandbox } from '../../../sdk/src/testing/index.ts'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { startTemporaryHost } from '../../src/sandbox/serve.ts'
import { exampleEnvironment } from '../harness/example-tools.ts'
import { root, runService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The commands of a section, as one script. */
function commandsOf(section: string): string {
  const [, text = ''] = readme.split(`\n## ${section}\n`)
  const [own = ''] = text.split('\n## ')
  return [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, step]) => step).join('\n')
}

/** What the blocks after the commands of a section show. */
const shownIn = (section: string): string =>
  [...(readme.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^```text\n(.*?)^```$/gms)]
    .map(([, shown]) => shown)
    .join('')

/** Runs a script in the repository, as a reader does. The first command that fails ends it. */
async function run(script: string, env: Record<string, string>) {
  using directory = newDirectory()
  const child = Bun.spawn(['sh', '-euc', script], {
    cwd: root,
    env: exampleEnvironment(directory.path, env),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { output, errors, exitCode }
}

test('the first calls of the README work as written, and a second time', async () => {
  const script = commandsOf('First call')
  const key = newSecret()
  using home = newDirectory()
  await using running = runService({ cwd: home.path, env: { ADMIN_API_KEY: key } })
  await running.ready
  for (const time of ['first', 'second']) {
    const ended = await run(script, { PETSTORE_API_KEY: key, PETSTORE_URL: running.url })
    expect({ time, ...ended }).toEqual({ time, exitCode: 0, errors: '', output: shownIn('First call') })
  }
  expect(await running.kill('SIGTERM')).toBe(0)
})

test('the commands of the README for testing a client work as written', async () => {
  const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
  const shop = await startSandbox({ host: host.url })
  using home = newDirectory()
  const ended = await run(commandsOf('Test your client'), { SHOP: shop.url, HOME: home.path })
  await host.stop()
  expect([ended.exitCode, ended.exitCode === 0 ? '' : ended.errors]).toEqual([0, ''])
  expect(ended.output).toContain('"fault":"cut_after"')
  expect(ended.output).toContain('repeats: Leaves no doubt')
})
