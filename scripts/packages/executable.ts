import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundling } from './bundle.ts'
import { runIn } from './run.ts'

const root = join(import.meta.dir, '../..')

/** The platforms of the executables: Bun's name for each, and the package that has Bun for it. */
const platformFacts = {
  'linux-amd64': { target: 'bun-linux-x64', packageName: '@oven/bun-linux-x64' },
  'linux-arm64': { target: 'bun-linux-arm64', packageName: '@oven/bun-linux-aarch64' },
  'darwin-amd64': { target: 'bun-darwin-x64', packageName: '@oven/bun-darwin-x64' },
  'darwin-arm64': { target: 'bun-darwin-arm64', packageName: '@oven/bun-darwin-aarch64' },
  'windows-amd64': { target: 'bun-windows-x64', packageName: '@oven/bun-windows-x64' },
} as const
export type Platform = keyof typeof platformFacts
export const platforms = Object.keys(platformFacts) as Platform[]

export function parsePlatform(name: string): Platform {
  const platform = platforms.find((known) => known === name)
  if (platform === undefined) throw new Error(`There is no platform ${name}. Use ${platforms.join(', ')}.`)
  return platform
}

/** The platform of this machine, as containers name it. */
export const ownPlatform = [
  process.platform === 'win32' ? 'windows' : process.platform,
  process.arch === 'x64' ? 'amd64' : process.arch,
].join('-')

/** Builds the executable for a platform, this machine's unless given. On Windows its name must end with `.exe`. */
export async function buildExecutable(file: string, name: string = ownPlatform): Promise<void> {
  const platform = parsePlatform(name)
  using runtime = platform === ownPlatform ? undefined : await fetchBun(platform)
  const { target } = platformFacts[platform]
  const { success, logs } = await Bun.build({
    ...bundling,
    entrypoints: [join(root, 'cli/src/petstore.ts')],
    compile: { outfile: file, target, ...(runtime && { executablePath: runtime.path }) },
  })
  if (!success) throw new Error(logs.join('\n'))
}

/** Gets Bun for another platform from npm, with the hash that the lockfile has. */
async function fetchBun(platform: Platform): Promise<{ readonly path: string } & Disposable> {
  const { packageName: name } = platformFacts[platform]
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { version, integrity } = packages[`node_modules/${name}`] as { version: string; integrity: string }
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bun-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    await runIn(folder)(['npm', 'pack', '--silent', '--prefer-offline', `${name}@${version}`])
    const tarball = `${name.slice(1).replace('/', '-')}-${version}.tgz`
    const hash = createHash('sha512')
      .update(readFileSync(join(folder, tarball)))
      .digest('base64')
    if (`sha512-${hash}` !== integrity)
      throw new Error(`${name}@${version} is not the file that package-lock.json has.`)
    await runIn(folder)(['tar', '-xzf', tarball])
    return {
      path: join(folder, 'package/bin', platform.startsWith('windows') ? 'bun.exe' : 'bun'),
      [Symbol.dispose]: remove,
    }
  } catch (error) {
    remove()
    throw error
  }
}
