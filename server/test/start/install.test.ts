import { afterAll, expect, test } from 'bun:test'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newDirectory } from '../harness/scratch.ts'

const script = join(import.meta.dir, '../../../scripts/install.mjs')
const node = Bun.which('node') ?? process.execPath

test.each([[[]], [['--dev']]])('installing with %p does nothing when nothing is missing', (words) => {
  // Without npm on the path, installing would fail.
  const { exitCode, stdout, stderr } = Bun.spawnSync([Bun.which('node') ?? process.execPath, script, ...words], {
    env: { PATH: '/nonexistent' },
  })
  expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([0, '', ''])
})

test('a Node that is too old is told which one is needed', () => {
  const older = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "18.20.0" })'
  const { exitCode, stderr } = Bun.spawnSync([Bun.which('node') ?? '', '--import', older, script])
  expect([exitCode, stderr.toString()]).toEqual([
    1,
    'This needs Node 20 or newer, and you have 18.20.0. Install one from https://nodejs.org.\n',
  ])
})

test('if npm cannot install, the start says what it needs', () => {
  using home = newDirectory()
  for (const folder of ['bin', 'scripts']) mkdirSync(join(home.path, folder))
  cpSync(script, join(home.path, 'scripts/install.mjs'))
  writeFileSync(join(home.path, 'package-lock.json'), '{"packages":{}}')
  const npm = join(home.path, 'bin/npm')
  writeFileSync(npm, '#!/bin/sh\necho "npm error network" >&2\nexit 1\n')
  chmodSync(npm, 0o755)
  const { exitCode, stderr } = Bun.spawnSync([Bun.which('node') ?? '', join(home.path, 'scripts/install.mjs')], {
    env: { PATH: `${join(home.path, 'bin')}:/bin:/usr/bin` },
  })
  expect(exitCode).toBe(1)
  expect(stderr.toString()).toMatch(/^npm error network\nnpm could not install the packages; .+ Then try again\.\n$/)
})

// A project with two packages from files, so that npm itself installs them without a network.
const project = newDirectory()
afterAll(() => project.remove())
const at = (...path: string[]) => join(project.path, ...path)
const env = { ...process.env, npm_config_offline: 'true', npm_config_cache: at('cache') }

function write(path: string, content: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), content)
}

/** A package as npm downloads it, in a file; returns its entry in the lockfile. */
function pack(name: string, files: Record<string, string> = {}, dev = false): object {
  for (const [path, content] of Object.entries({
    ...files,
    'package.json': JSON.stringify({ name, version: '1.0.0' }),
  })) {
    write(`${name}/package/${path}`, content)
  }
  Bun.spawnSync(['tar', '-czf', at(`${name}.tgz`), '-C', at(name), 'package'])
  return { [`node_modules/${name}`]: { version: '1.0.0', resolved: `file:${name}.tgz`, dev } }
}

function install(...words: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([node, at('scripts/install.mjs'), ...words], { env })
  return { exitCode, output: `${stdout}${stderr}` }
}

/** Like Bun's own package: an install script writes the program. */
const writesProgram = `const [fs, program] = [require('fs'), __dirname + '/bin/bun.exe']
fs.writeFileSync(program, '#!/bin/sh\\necho 1')
fs.chmodSync(program, 0o755)`

test('what is missing is installed by npm, the program of Bun too, and later what only tests need', () => {
  cpSync(script, at('scripts/install.mjs'))
  const bun = pack('bun', { 'bin/bun.exe': '', 'install.js': writesProgram })
  const onlyForTests = pack('only-for-tests', {}, true)
  const shop = {
    name: 'shop',
    version: '1.0.0',
    dependencies: { bun: 'file:bun.tgz' },
    devDependencies: { 'only-for-tests': 'file:only-for-tests.tgz' },
  }
  write('package.json', JSON.stringify(shop))
  const packages = { '': shop, ...bun, ...onlyForTests }
  write('package-lock.json', JSON.stringify({ ...shop, lockfileVersion: 3, requires: true, packages }))

  expect(install()).toMatchObject({ exitCode: 0, output: expect.stringContaining('Installing missing packages') })
  expect(readFileSync(at('node_modules/bun/bin/bun.exe'), 'utf8')).toContain('echo 1')
  expect(existsSync(at('node_modules/only-for-tests'))).toBe(false)
  expect(install()).toEqual({ exitCode: 0, output: '' })

  expect(install('--dev').output).toContain('Installing missing packages')
  expect(existsSync(at('node_modules/only-for-tests'))).toBe(true)
  expect(install('--dev')).toEqual({ exitCode: 0, output: '' })

  // npm may be told to run no install scripts: then the program is missing.
  rmSync(at('node_modules/bun/bin/bun.exe'))
  expect(install()).toEqual({ exitCode: 0, output: '' })
  expect(readFileSync(at('node_modules/bun/bin/bun.exe'), 'utf8')).toContain('echo 1')
})
