import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'

const sdk = join(import.meta.dir, '..')

/** The package, built, packed, and installed from its tarball in a project elsewhere. */
export async function installPackage() {
  const project = newDirectory()
  /** Runs a program in the project to its end; if it fails, its output is in the error. */
  async function run(...words: string[]): Promise<string> {
    const child = Bun.spawn(words, { cwd: project.path, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (exitCode !== 0) throw new Error(`${words.join(' ')}\n${output}${errors}`)
    return output
  }
  await run(process.execPath, join(sdk, 'build.ts'), join(project.path, 'dist'))
  const quietly = ['--offline', '--no-audit', '--no-fund', '--loglevel=error']
  const tarball = join(project.path, (await run('npm', 'pack', './dist', ...quietly)).trim())
  await Bun.write(join(project.path, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', 'install', ...quietly, tarball)
  return { path: project.path, tarball, run, remove: project.remove }
}
