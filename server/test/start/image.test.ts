import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chownSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { root, runProgram } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

// The image as deploy/Dockerfile builds it, laid out in folders and started there without a container engine.

const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').replaceAll(/\\\n\s*/g, '')
const [build = '', image = ''] = dockerfile.split(/^(?=FROM )/m).slice(1)
const argumentOf = (stage: string, instruction: string) =>
  new RegExp(`^\\s*${instruction} (.+)$`, 'm').exec(stage)?.[1] ?? ''

const scratch = newDirectory()
afterAll(() => scratch.remove())
const app = join(scratch.path, 'build/app')
const program = join(scratch.path, 'image/usr/local/bin/petstore')

function run(command: string, words: readonly string[], cwd = scratch.path, env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync(command, words, {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, ...env },
  })
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

function copy(path: string, to = join(app, path)): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(root, path), to, { recursive: true, verbatimSymlinks: true })
}

/** Lays out the packages that `npm ci --omit=dev` installs, except Bun, which runs the test. */
function installProduction(): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const [path, { dev, link }] of Object.entries<{ dev?: true; link?: true }>(packages)) {
    const isWanted = path.startsWith('node_modules/') && !dev && !/^node_modules\/(bun|@oven\/.*)$/.test(path)
    if (!isWanted || !existsSync(join(root, path))) continue
    if (!link) copy(path)
    else {
      mkdirSync(dirname(join(app, path)), { recursive: true })
      symlinkSync(join('../..', basename(path)), join(app, path))
    }
  }
}

beforeAll(() => {
  expect(argumentOf(build, 'COPY')).toBe('. .')
  const [nothing, ...lines] = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n')
  expect(nothing).toBe('*')
  for (const pattern of lines.map((line) => line.slice(1))) {
    const files = pattern.includes('*') ? [...new Bun.Glob(pattern).scanSync({ cwd: root })] : [pattern]
    for (const file of files) copy(file)
  }
  installProduction()
  const [, script = '', file = ''] = /&& node_modules\/\.bin\/bun (\S+) (\S+)$/m.exec(build) ?? []
  run(process.execPath, [script, join(scratch.path, 'build', file)], app)
  const [from = '', to = ''] = argumentOf(image, 'COPY').replace('--from=build ', '').split(' ')
  mkdirSync(dirname(program), { recursive: true })
  copyFileSync(join(scratch.path, 'build', from), join(scratch.path, 'image', to))
  run('chmod', ['a+rx', scratch.path])
}, 120_000)

const isRoot = process.getuid?.() === 0
const [user = 0, group = 0] = argumentOf(image, 'USER').split(':').map(Number)
const asUser = isRoot ? ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups'] : []
/** A command as the image starts it. */
const commandOf = (words: readonly string[]) => [
  ...asUser,
  ...words.map((word) => (word === 'petstore' ? program : word)),
]

/** A folder that stands for the volume, in which the user of the image may write. */
function newVolume(name: string): string {
  const volume = join(scratch.path, name)
  mkdirSync(volume)
  if (isRoot) chownSync(volume, user, group)
  return volume
}

const settingsOf = (volume: string): Record<string, string> =>
  Object.fromEntries(
    argumentOf(image, 'ENV')
      .split(/\s+/)
      .map((pair) => pair.replace('/data', volume).split('=', 2) as [string, string])
      // The temporary folder of this run belongs to another user.
      .concat([['TMPDIR', volume]]),
  )

test('the image starts without root and without write access, sells a pet with console and pages, and is healthy', async () => {
  const settings = settingsOf(newVolume('data'))
  const readyWhen = /is ready on port (\d+)\./
  await using service = runProgram({
    command: commandOf(JSON.parse(argumentOf(image, 'CMD'))),
    cwd: '/',
    env: { ...settings, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' },
    readyWhen,
  })
  await service.ready
  const [, port = ''] = readyWhen.exec(service.output()) ?? []
  const url = `http://127.0.0.1:${port}`
  const pages = ['/readyz', '/console', '/docs'].map((path) => fetch(url + path))
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 200])
  const page = await (await fetch(`${url}/console`)).text()
  const [, script = ''] = /src="(\/assets\/console\.[^"]+\.js)"/.exec(page) ?? []
  expect((await (await fetch(url + script)).text()).length).toBeGreaterThan(100_000)
  const order = await fetch(`${url}/store/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': /ps_\w{36}/.exec(service.output())?.[0] ?? '' },
    body: JSON.stringify({ petId: 23, quantity: 1 }),
  })
  expect(order.status).toBe(201)

  const [check = '', ...words] = commandOf(JSON.parse(/HEALTHCHECK .* CMD (\[.*\])$/m.exec(image)?.[1] ?? '[]'))
  expect(run(check, words, '/', { PORT: port })).toBe('')
  expect(() => run(check, words, '/', { PORT: '1' })).toThrow()
  expect([await service.kill('SIGTERM'), service.errors()]).toEqual([0, ''])
})

test('its commands are those of the Kubernetes jobs: it migrates a database and backs it up', () => {
  const volume = newVolume('jobs')
  const [migrate, backup] = ['migrate', 'backup'].map((name) => {
    const text = readFileSync(join(root, `deploy/kubernetes/${name}.yaml`), 'utf8')
    return parse(/^ *command: (\[.*\])$/m.exec(text)?.[1] ?? '[]') as string[]
  })
  const runJob = (command: readonly string[] = []) => {
    const [first = '', ...words] = commandOf(command.map((word) => (word === '/backups' ? volume : word)))
    return run(first, words, '/', settingsOf(volume))
  }
  expect(runJob(migrate)).toContain('The schema is up to date.')
  expect(runJob(backup)).toContain(`Wrote ${volume}/`)
})
