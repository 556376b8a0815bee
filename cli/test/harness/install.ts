import { cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../server/test/harness/run/run-service.ts'

export const published = ['sdk', 'judge', 'server', 'cli'] as const

/** Runs a program in a folder; throws if it fails. */
export function runIn(folder: string, ...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: folder, env: process.env })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}\n${stdout}\n${stderr}`)
  return stdout.toString()
}

/**
 * Builds and packs our packages below a folder, and installs the tarballs in an empty folder beside them, as for a user who has
 * only Node and whose npm runs no install scripts. Returns that folder, the tarballs by workspace, and a search path with only Node.
 */
export function installPackages(folder: string) {
  const at = (...names: string[]) => join(folder, ...names)
  for (const workspace of published) runIn(root, process.execPath, join(workspace, 'build.ts'), at(workspace))
  packBun(at('bun'))
  const packages = [...published.map((workspace) => at(workspace)), join(root, 'node_modules/commander')]
  // Tarballs, not folders: npm would link those.
  runIn(folder, 'npm', 'pack', '--silent', ...packages)
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  mkdirSync(at('empty'))
  const quietly = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  runIn(at('empty'), 'npm', 'install', ...quietly, '--cache', at('cache'), ...tarballs.map((name) => at(name)))
  mkdirSync(at('path'))
  const node = realpathSync(Bun.which('node') ?? '')
  symlinkSync(node, at('path/node'))
  symlinkSync(realpathSync(Bun.which('npx') ?? ''), at('path/npx'))
  // What npx itself needs.
  symlinkSync('/bin/sh', at('path/sh'))
  const tarballOf = (workspace: string) => at(tarballs.find((name) => name.startsWith(`petstore-${workspace}-`)) ?? '')
  return { empty: at('empty'), path: at('path'), tarballOf }
}

/** Bun's package for this platform, as the registry has it; here, its install script has moved the program away. Not compressed, to be fast. */
function packBun(folder: string): void {
  const [name = ''] = readdirSync(join(root, 'node_modules/@oven'))
  mkdirSync(join(folder, 'package/bin'), { recursive: true })
  cpSync(join(root, 'node_modules/@oven', name, 'package.json'), join(folder, 'package/package.json'))
  cpSync(realpathSync(process.execPath), join(folder, 'package/bin/bun'))
  runIn(folder, 'tar', '-cf', '../bun.tgz', 'package')
}
