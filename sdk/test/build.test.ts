import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { newDirectory } from '../../server/test/harness/scratch.ts'

const repository = join(import.meta.dir, '../..')
const copy = newDirectory()
afterAll(() => copy.remove())
const at = (path: string) => join(copy.path, path)

/** Runs a program in the copy of the SDK's folder. */
function run(words: string[], env = process.env) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, { cwd: at('sdk'), env, stdin: 'ignore' })
  return { exitCode, output: `${stdout}${stderr}` }
}

for (const path of ['LICENSE', 'tsconfig.json', 'package-lock.json', 'scripts/install.mjs', 'scripts/packages']) {
  cpSync(join(repository, path), at(path), { recursive: true })
}
for (const path of ['build.ts', 'package.json', 'tsconfig.json', 'README.md', 'METHODS.md', 'src']) {
  cpSync(join(repository, 'sdk', path), at(`sdk/${path}`), { recursive: true })
}

test('building after npm start first installs what only building needs', () => {
  // As npm start leaves it: without the packages for development.
  const { packages } = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'))
  const installed = Object.entries<{ dev?: boolean }>(packages).filter(([, { dev }]) => !dev)
  mkdirSync(at('node_modules/bun/bin'), { recursive: true })
  writeFileSync(at('node_modules/.package-lock.json'), JSON.stringify({ packages: Object.fromEntries(installed) }))
  symlinkSync(process.execPath, at('node_modules/bun/bin/bun.exe'))
  mkdirSync(at('bin'))
  writeFileSync(at('bin/npm'), `#!/bin/sh\necho "npm $*"\n`)
  chmodSync(at('bin/npm'), 0o755)
  const { build } = JSON.parse(readFileSync(at('sdk/package.json'), 'utf8')).scripts
  const [install] = build.split(' && ')
  const { exitCode, output } = run(install.split(' '), { ...process.env, PATH: `${at('bin')}:${process.env.PATH}` })
  expect(output).toContain('npm ci')
  expect(output).toContain('--include=dev')
  expect(exitCode).toBe(0)
})

test('a build that fails leaves the one before as it is, and nothing else', () => {
  mkdirSync(at('sdk/dist'))
  writeFileSync(at('sdk/dist/before'), '')
  symlinkSync(join(repository, 'node_modules/typescript'), at('node_modules/typescript'))
  appendFileSync(at('sdk/src/list.ts'), 'export const broken: number = "text"\n')
  const before = readdirSync(at('sdk'))
  const { exitCode, output } = run([process.execPath, 'build.ts'])
  expect(exitCode).toBe(1)
  expect(output).toContain("Type 'string' is not assignable to type 'number'")
  expect(readdirSync(at('sdk'))).toEqual(before)
  expect(readdirSync(at('sdk/dist'))).toEqual(['before'])
})

test('the sources are not packed by mistake', () => {
  const { prepack } = JSON.parse(readFileSync(at('sdk/package.json'), 'utf8')).scripts
  expect(run(['sh', '-c', prepack])).toEqual({
    exitCode: 1,
    output: 'These are the sources. npm run build --workspace sdk builds the package, npm pack ./sdk/dist packs it.\n',
  })
})
