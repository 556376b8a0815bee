import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  version?: string
  readonly workspaces?: readonly string[]
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

/** Texts that name the version, each with a pattern whose second group is the version. */
const texts: readonly (readonly [file: string, pattern: RegExp])[] = [
  ['sdk/src/version.ts', /(version = ')([^']+)/],
  ['clients/python/petstore_sandbox/__init__.py', /(__version__ = ")([^"]+)/],
  ['action.yml', /(@petstore\/cli@)(\S+)/],
  ['deploy/compose.yaml', /(image: petstore:)(\S+)/],
  ['deploy/kubernetes/kustomization.yaml', /(newTag: )(\S+)/],
]

/** Writes the version into every file that has it. All others read it from package.json. */
export function setVersion(root: string, version: string): void {
  const { workspaces = [] } = readJson<Manifest>(join(root, 'package.json'))
  const setIn = (manifest: Manifest) => {
    manifest.version = version
    for (const needed of [manifest.dependencies, manifest.devDependencies, manifest.peerDependencies]) {
      for (const name of Object.keys(needed ?? {}).filter((name) => name.startsWith('@petstore/'))) {
        if (needed) needed[name] = version
      }
    }
  }
  for (const folder of ['.', ...workspaces]) changeJson(join(root, folder, 'package.json'), setIn)
  changeJson(join(root, 'package-lock.json'), (lock: Manifest & { packages: Record<string, Manifest> }) => {
    lock.version = version
    for (const folder of ['', ...workspaces]) setIn(lock.packages[folder] ?? {})
  })
  for (const [file, pattern] of texts) {
    const text = readFileSync(join(root, file), 'utf8')
    if (!pattern.test(text)) throw new Error(`${file} does not name the version as ${pattern}.`)
    writeFileSync(join(root, file), text.replace(pattern, `$1${version}`))
  }
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8'))

function changeJson<T>(file: string, change: (value: T) => void): void {
  const value = readJson<T>(file)
  change(value)
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
