import { afterAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { root, runProgram } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

// The files of the image as deploy/Dockerfile lists them, laid out in a folder and started there without a container engine.

const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').replaceAll(/\\\n\s*/g, '')
const stages = dockerfile.split(/^(?=FROM )/m).slice(1)
const wordsOf = (stage: string, instruction: string) =>
  [...stage.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(([, rest = '']) => rest.split(/\s+/))

const scratch = newDirectory()
/** The folder that stands for the root directory of a stage. */
const folderOf = (stage: string) => join(scratch.path, wordsOf(stage, 'FROM')[0]?.[2] ?? 'image')
const run = (
  command: string,
  words: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) => {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', ...options })
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}\n${stdout}${stderr}`)
}
afterAll(() => {
  run('chmod', ['-R', 'u+w', scratch.path])
  scratch.remove()
})

/** Copies as COPY does: files into a folder, or the content of a folder. Links stay as they are. */
function copy(sources: readonly string[], from: string, to: string): void {
  for (const source of sources.map((path) => join(from, path))) {
    if (statSync(source).isDirectory()) {
      cpSync(source, to, { recursive: true, verbatimSymlinks: true })
    } else {
      const target = to.endsWith('/') ? join(to, basename(source)) : to
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(source, target)
    }
  }
}

/** Lays out the packages that `npm ci --omit=dev` would install, and Bun where the Dockerfile moves it. */
function installProduction(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const [path, { dev, link }] of Object.entries<{ dev?: true; link?: true }>(packages)) {
    const isWanted = path.startsWith('node_modules/') && !dev && !/^node_modules\/(bun|@oven\/.*)$/.test(path)
    if (!isWanted || !existsSync(join(root, path))) continue
    if (!link) copy([path], root, join(folder, 'app', path))
    else {
      mkdirSync(dirname(join(folder, 'app', path)), { recursive: true })
      symlinkSync(join('../..', basename(path)), join(folder, 'app', path))
    }
  }
  copy([process.execPath], '/', join(folder, 'usr/local/bin/bun'))
}

function layOut(stage: string): void {
  const folder = folderOf(stage)
  const base = stages.find((other) => wordsOf(other, 'FROM')[0]?.[2] === wordsOf(stage, 'FROM')[0]?.[0])
  if (base !== undefined) cpSync(folderOf(base), folder, { recursive: true, verbatimSymlinks: true })
  for (const words of wordsOf(stage, 'COPY')) {
    const other = stages.find((each) => `--from=${wordsOf(each, 'FROM')[0]?.[2]}` === words[0])
    const to = posix.resolve('/app', words.at(-1) ?? '') + (words.at(-1)?.endsWith('/') ? '/' : '')
    copy(words.slice(other ? 1 : 0, -1), other ? folderOf(other) : root, join(folder, to))
  }
  for (const [program, ...words] of wordsOf(stage, 'RUN')) {
    if (program === 'npm') installProduction(folder)
    if (program === 'bun') run(join(folder, 'usr/local/bin/bun'), words, { cwd: join(folder, 'app') })
  }
}
for (const stage of stages) layOut(stage)

const image = stages.at(-1) ?? ''
const app = join(folderOf(image), 'app')
const isRoot = process.getuid?.() === 0
const [user, group] = wordsOf(image, 'USER')[0]?.[0]?.split(':').map(Number) ?? []

/** Starts the service as the image does, as its user, who can write to /data only. */
async function startImage(dataName: string) {
  const data = join(scratch.path, dataName)
  mkdirSync(data)
  if (isRoot) chownSync(data, user as number, group as number)
  run('chmod', ['-R', 'a+rX,a-w', app])
  run('chmod', ['a+rx', scratch.path])
  const asUser = isRoot ? ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups'] : []
  const [program = '', ...words]: string[] = JSON.parse(wordsOf(image, 'CMD')[0]?.join(' ') ?? '[]')
  const settings = Object.fromEntries(
    wordsOf(image, 'ENV')
      .flat()
      .map((pair) => pair.replace('/data', data).split('=', 2) as [string, string]),
  )
  const readyWhen = /is ready on port (\d+)\./
  const service = runProgram({
    command: [...asUser, join(folderOf(image), 'usr/local/bin', program), ...words],
    cwd: app,
    env: { ...settings, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' },
    readyWhen,
  })
  await service.ready
  const [, port] = readyWhen.exec(service.output()) ?? []
  return { ...service, url: `http://127.0.0.1:${port}` }
}

test('the image starts without root and without write access, with its console and pages, and sells a pet', async () => {
  await using service = await startImage('data')
  const pages = ['/readyz', '/console', '/docs'].map((path) => fetch(service.url + path))
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 200])
  const page = await (await fetch(`${service.url}/console`)).text()
  const [, script = ''] = /src="(\/assets\/console\.[^"]+\.js)"/.exec(page) ?? []
  expect((await (await fetch(service.url + script)).text()).length).toBeGreaterThan(100_000)
  const order = await fetch(`${service.url}/store/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': /ps_\w{36}/.exec(service.output())?.[0] ?? '' },
    body: JSON.stringify({ petId: 23, quantity: 1 }),
  })
  expect(order.status).toBe(201)
  expect([await service.kill('SIGTERM'), service.errors()]).toEqual([0, ''])
})

test('without the file of the console the service starts, and the console says that it is not built', async () => {
  run('chmod', ['-R', 'u+w', app])
  rmSync(join(app, 'console'), { recursive: true })
  await using service = await startImage('data-without-console')
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  const console = await fetch(`${service.url}/console`)
  expect([console.status, await console.text()]).toEqual([503, expect.stringContaining('The console is not built')])
  await service.kill('SIGTERM')
  expect(service.errors()).toContain('the console could not be built')
})
