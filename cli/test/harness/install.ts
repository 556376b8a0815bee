import { realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../server/test/harness/run/run-service.ts'

/** Runs a program in the repository; throws if it fails. */
export function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: root, env: process.env })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}\n${stdout}\n${stderr}`)
  return stdout.toString()
}

/**
 * Packs the command line with what it needs, installs the tarballs globally below a folder, and returns the program and a search
 * path on which there is only Node.
 */
export function installPackages(folder: string): { program: string; path: string } {
  const at = (name: string) => join(folder, name)
  run('bun', 'sdk/build.ts', at('sdk'))
  const packages = [at('sdk'), join(root, 'cli'), join(root, 'node_modules/commander')]
  // Tarballs, not folders: npm would link those.
  const packed = run('npm', 'pack', '--silent', '--pack-destination', folder, ...packages)
  const tarballs = packed.split('\n').filter((line) => line.endsWith('.tgz'))
  run('npm', 'install', '--silent', '--offline', '--global', '--prefix', at('prefix'), ...tarballs.map(at))
  symlinkSync(realpathSync(Bun.which('node') ?? ''), at('node'))
  return { program: at('prefix/bin/petstore'), path: folder }
}
