import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { eventually } from '../../server/test/harness/eventually.ts'
import { root, runProgram } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { installPackages, published, runIn } from './harness/install.ts'
import { writePets } from './harness/pets-file.ts'

// The four packages, installed from their tarballs in an empty folder, where the search path has only Node and npm ran no install script.

const scratch = newDirectory()
afterAll(() => scratch.remove())
const { empty, path, tarballOf } = installPackages(scratch.path)
const home = join(scratch.path, 'home')
mkdirSync(home)
const petstoreProgram = join(empty, 'node_modules/.bin/petstore')
const env = { PATH: path, HOME: home, npm_config_offline: 'true', npm_config_update_notifier: 'false' }

async function run(words: string[], more: Record<string, string> = {}) {
  const child = Bun.spawn(words, { cwd: empty, env: { ...env, ...more }, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, output, errors }
}
const petstore = (words: string, more = {}) => run([petstoreProgram, ...words.split(' ')], more)

/** A request with the key of a shop. */
const client = (url: string, key: string) => (target: string, body?: object) =>
  fetch(url + target, {
    method: body ? 'POST' : 'GET',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

test('npx petstore sandbox is a shop with its pages; a client is judged, and the report is JUnit', async () => {
  await using ended = new AsyncDisposableStack()
  const host = runProgram({
    command: [join(path, 'npx'), 'petstore', 'sandbox', '--port', '0', '--json'],
    cwd: empty,
    env,
    readyWhen: /^\{.*\}$/m,
  })
  // SIGKILL would reach only npx.
  ended.defer(() => host.kill('SIGTERM').then(() => undefined))
  await host.ready
  const { url, apiKey } = JSON.parse(host.output()).sandbox
  const send = client(url, apiKey)
  for (const page of ['/console', '/docs', '/docs/guides/testing', '/_sandbox/report']) {
    const response = await fetch(url + page, { headers: { Accept: 'text/html' } })
    expect([page, response.status, response.headers.get('Content-Type')]).toEqual([
      page,
      200,
      'text/html; charset=utf-8',
    ])
  }
  const [script = ''] = /\/assets\/console\.[^"]+\.js/.exec(await (await fetch(`${url}/console`)).text()) ?? []
  expect((await (await fetch(url + script)).text()).length).toBeGreaterThan(100_000)
  expect((await send('/store/orders', { petId: 23 })).status).toBe(201)

  const report = await petstore(`sandbox report --url ${url} --require must --junit report.xml`)
  expect([report.code, report.errors]).toEqual([0, ''])
  expect(readFileSync(join(empty, 'report.xml'), 'utf8')).toMatch(/<testsuite name="client" tests="\d+" failures="0"/)
  // npx and its shell end, and the host with them.
  await host.kill('SIGTERM')
  const isGone = () =>
    fetch(url).then(
      () => false,
      () => true,
    )
  await eventually(isGone)
})

test('petstore serve sells a pet, its commands work with it, and doctor finds nothing wrong', async () => {
  await using service = runProgram({
    command: [petstoreProgram, 'serve', '--sample', '--port', '0'],
    cwd: empty,
    env: { ...env, LOG_LEVEL: 'warn' },
    readyWhen: /is ready on port (\d+)\./,
  })
  await service.ready
  const [, port] = /is ready on port (\d+)\./.exec(service.output()) ?? []
  const shop = {
    PETSTORE_URL: `http://127.0.0.1:${port}`,
    PETSTORE_API_KEY: /ps_\w{36}/.exec(service.output())?.[0] ?? '',
  }
  expect((await client(shop.PETSTORE_URL, shop.PETSTORE_API_KEY)('/store/orders', { petId: 23 })).status).toBe(201)

  expect(await petstore('--version')).toEqual({ code: 0, output: '1.0.0\n', errors: '' })
  expect((await petstore('pets list --limit 1', shop)).output).toMatch(/^1 +Rex +Dogs/m)
  await writePets(join(empty, 'pets.ndjson'), 50)
  expect(await petstore('import pets.ndjson', shop)).toMatchObject({ code: 0, errors: '' })
  expect((await petstore('export --format csv', shop)).output).toContain('Pet 49')
  expect((await petstore('pets get 999999', shop)).code).toBe(4)
  expect((await petstore('judge plan --profile dynamodb --seed a')).output).toContain('relative UpdateItem')

  const { output } = await petstore('doctor --json', shop)
  const states = (JSON.parse(output) as { check: string; state: string }[]).map(({ check, state }) => [check, state])
  expect(states.filter(([, state]) => state === 'error')).toEqual([])
  expect(states).toContainEqual(['service', 'ok'])
  expect([await service.kill('SIGTERM'), service.errors()]).toEqual([0, ''])
})

test('@petstore/sdk/testing finds the command line and starts its own host; @petstore/judge judges on Node', async () => {
  const script = `import { startSandbox } from '@petstore/sdk/testing'
    import { toLines } from '@petstore/judge/output/text'
    const shop = await startSandbox()
    await shop.client().store.orders.place({ petId: 23 })
    console.log(toLines(await shop.report()).at(-1))`
  writeFileSync(join(empty, 'client.mjs'), script)
  const { code, output, errors } = await run([join(path, 'node'), 'client.mjs'])
  expect([code, errors]).toEqual([0, ''])
  expect(output).toContain('Nothing failed. Passed: 1.')
})

test('everything is in the data folder; nothing is left when that and the packages are removed', () => {
  // npx keeps its log.
  expect(readdirSync(home).filter((name) => name !== '.npm')).toEqual([])
  rmSync(join(empty, 'data'), { recursive: true, force: true })
  const { dependencies } = JSON.parse(readFileSync(join(empty, 'package.json'), 'utf8'))
  runIn(empty, 'npm', 'uninstall', '--offline', ...Object.keys(dependencies))
  const own = ['client.mjs', 'package-lock.json', 'package.json', 'pets.ndjson', 'report.xml']
  expect([...new Bun.Glob('**/*').scanSync({ cwd: empty })].filter((name) => !own.includes(name))).toEqual([])
})

test('the command line says what is missing if npm left out Bun, and finds it where its own package has moved it', async () => {
  const modules = join(scratch.path, 'other/node_modules')
  const start = (...words: string[]) =>
    run([join(path, 'node'), join(modules, '@petstore/cli/bin/petstore.js'), ...words])
  for (const name of ['cli', 'server', 'sdk', 'judge']) {
    mkdirSync(join(modules, '@petstore', name), { recursive: true })
    runIn(join(modules, '@petstore', name), 'tar', '-xzf', tarballOf(name), '--strip-components=1')
  }
  runIn(modules, 'ln', '-s', join(root, 'node_modules/commander'), 'commander')
  const missing = await start('--version')
  expect([missing.code, missing.errors]).toEqual([
    1,
    expect.stringContaining('Bun is missing: npm has no package of it'),
  ])
  runIn(modules, 'ln', '-s', join(root, 'node_modules/bun'), 'bun')
  expect(await start('--version')).toEqual({ code: 0, output: '1.0.0\n', errors: '' })
})

/** Old resolvers: the service runs on Bun, which is not one of them. */
const olderResolvers = ['node10', 'node16-cjs']

test.each(published)(
  'publint and attw find nothing wrong with @petstore/%s, which anyone may publish',
  async (workspace) => {
    const tarball = tarballOf(workspace)
    const { messages } = await publint({ pkgDir: join(scratch.path, workspace), pack: false, strict: true })
    expect(messages).toEqual([])
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))))
    const problems = 'problems' in result ? result.problems : []
    const isOld = (problem: object) =>
      'resolutionKind' in problem && olderResolvers.includes(String(problem.resolutionKind))
    const relevant = problems.filter((problem) => workspace !== 'server' || !isOld(problem))
    expect([workspace, relevant, 'problems' in result]).toEqual([workspace, [], workspace !== 'cli'])

    const manifest = JSON.parse(readFileSync(join(scratch.path, workspace, 'package.json'), 'utf8'))
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ version, license: 'MIT', publishConfig: { access: 'public', provenance: true } })
    expect([manifest.private, manifest.scripts, manifest.devDependencies]).toEqual([undefined, undefined, undefined])
    expect(Object.keys(manifest.engines).length).toBeGreaterThan(0)
    const listed = runIn(scratch.path, 'tar', '-tzf', tarball)
      .trim()
      .split('\n')
      .map((name) => name.split('/')[1])
    const always = ['LICENSE', 'README.md', 'package.json']
    expect([...new Set(listed)].toSorted()).toEqual([...always, ...manifest.files].toSorted())
    expect(readFileSync(join(scratch.path, workspace, 'README.md'), 'utf8')).toMatch(
      /npm install .*@petstore|npx @petstore/,
    )
  },
)

test('in the repository the program works without Bun on the path, and passes its exit code on', async () => {
  const inRepository = (...words: string[]) => run([join(root, 'cli/bin/petstore.js'), ...words])
  expect(await inRepository('--version')).toEqual({ code: 0, output: '1.0.0\n', errors: '' })
  expect((await inRepository('pets', 'get', 'Rex')).code).toBe(2)
})
