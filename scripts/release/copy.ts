import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runIn } from '../packages/run.ts'

/** A copy of the last commit, with the installed packages but its own workspaces. */
export async function copyOfLastCommit(root: string): Promise<{ readonly path: string } & Disposable> {
  const path = mkdtempSync(join(tmpdir(), 'petstore-release-'))
  await runIn(root)(['git', 'clone', '--quiet', '--no-tags', root, path])
  for (const [name, value] of Object.entries({ name: 'Dry run', email: 'dry-run@example.com' })) {
    await runIn(path)(['git', 'config', `user.${name}`, value])
  }
  const installed = join(root, 'node_modules')
  const modules = join(path, 'node_modules')
  mkdirSync(join(modules, '@petstore'), { recursive: true })
  for (const name of readdirSync(installed)) {
    if (name !== '@petstore') symlinkSync(join(installed, name), join(modules, name))
  }
  for (const name of readdirSync(join(installed, '@petstore'))) {
    symlinkSync(`../../${name}`, join(modules, '@petstore', name))
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
