import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteMissing, runUncounted } from './debian-program.ts'

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
const libraries = 'usr/lib/x86_64-linux-gnu'

/**
 * The command of a program of a newer Debian release, which runs with the libraries of that release and changes nothing on this machine.
 * `packages` are those to unpack, with all libraries. Undefined if they are unavailable: then skip the tests that need it.
 */
export function newerDebianProgram(
  release: string,
  name: string,
  packages: readonly string[],
): readonly string[] | undefined {
  const root = mkdtempSync(join(tmpdir(), `petstore-${release}-`))
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))
  if (process.arch === 'x64' && existsSync(keyring)) unpack(release, root, packages)
  const program = join(root, 'usr/sbin', name)
  if (!existsSync(program)) {
    noteMissing(`${name} of Debian ${release}`)
    return undefined
  }
  return [join(root, libraries, 'ld-linux-x86-64.so.2'), '--library-path', join(root, libraries), program]
}

function unpack(release: string, root: string, packages: readonly string[]): void {
  const apt = join(root, 'apt')
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'packages'])
    mkdirSync(join(apt, folder), { recursive: true })
  const sources = join(apt, 'debian.sources')
  const lines = ['Types: deb', 'URIs: http://deb.debian.org/debian', `Suites: ${release}`, 'Components: main']
  writeFileSync(sources, `${[...lines, `Signed-By: ${keyring}`].join('\n')}\n`)
  const settings = [
    `Dir::Etc::SourceList=${sources}`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State=${join(apt, 'state')}`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${join(apt, 'cache')}`,
    'APT::Sandbox::User=',
  ].flatMap((setting) => ['-o', setting])
  runUncounted(['apt-get', ...settings, 'update'])
  const folder = join(apt, 'packages')
  runUncounted(['sh', '-c', 'cd "$0" && exec apt-get "$@"', folder, ...settings, 'download', ...packages])
  for (const file of new Bun.Glob('*.deb').scanSync(folder)) runUncounted(['dpkg-deb', '-x', join(folder, file), root])
}
