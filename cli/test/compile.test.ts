import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root, runProgram } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'

// The executable that `npm run compile` makes, with nothing installed where it runs.

const home = newDirectory()
const file = join(home.path, 'petstore')
afterAll(() => home.remove())
beforeAll(() => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'scripts/compile.ts', file], { cwd: root })
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
}, 120_000)

const start = (words: readonly string[], readyWhen: RegExp) =>
  runProgram({ command: [file, ...words], cwd: home.path, env: { PATH: '/nonexistent', LOG_LEVEL: 'warn' }, readyWhen })

async function run(words: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([file, ...words], { cwd: home.path, env, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, output, errors }
}

test('it serves the shop and its pages with their assets, and runs commands', async () => {
  await using service = start(['serve', '--sample', '--port', '0'], /is ready on port (\d+)\./)
  await service.ready
  const [, port] = /is ready on port (\d+)\./.exec(service.output()) ?? []
  const url = `http://127.0.0.1:${port}`
  const key = /ps_\w{36}/.exec(service.output())?.[0] ?? ''
  const shop = { PETSTORE_URL: url, PETSTORE_API_KEY: key }

  const page = await (await fetch(`${url}/docs`)).text()
  const assets = [...new Set(page.match(/\/assets\/[\w.-]+/g))]
  expect(assets.length).toBeGreaterThanOrEqual(3)
  for (const path of [...assets, '/', '/docs/guides/keys', '/errors', '/openapi.yaml', '/llms.txt']) {
    const response = await fetch(url + path)
    expect([path, response.status, (await response.text()).length > 200]).toEqual([path, 200, true])
  }
  const [script = ''] = /\/assets\/console\.[^"]+\.js/.exec(await (await fetch(`${url}/console`)).text()) ?? []
  expect((await (await fetch(url + script)).text()).length).toBeGreaterThan(100_000)
  const pets = await fetch(`${url}/pets?limit=3`, { headers: { 'X-API-Key': key } })
  expect([pets.status, ((await pets.json()) as unknown[]).length]).toEqual([200, 3])

  expect(JSON.parse((await run(['pets', 'get', '1', '--json'], shop)).output)).toMatchObject({ id: 1, name: 'Rex' })
  expect(await run(['backup', 'copy.db'], shop)).toMatchObject({
    code: 0,
    output: expect.stringContaining('Wrote copy.db'),
  })
  const { code, output } = await run(['doctor', '--json'], shop)
  expect([code, JSON.parse(output)]).toEqual([
    0,
    expect.arrayContaining([expect.objectContaining({ check: 'service' })]),
  ])
  expect(await service.kill('SIGTERM')).toBe(0)
  expect(readdirSync(home.path).toSorted()).toEqual(['copy.db', 'data', 'petstore'])
})

test('it hosts sandboxes, judges a client and runs it through a challenge', async () => {
  await using host = start(['sandbox', '--port', '0', '--json'], /^\{.*\}$/m)
  await host.ready
  const { url, sandbox } = JSON.parse(host.output())
  const headers = { 'X-API-Key': sandbox.apiKey, 'Content-Type': 'application/json' }
  const order = await fetch(`${sandbox.url}/store/orders`, { method: 'POST', headers, body: '{"petId":23}' })
  expect(order.status).toBe(201)
  const report = await run(['sandbox', 'report', '--require', 'must', '--junit', 'report.xml'], {
    PETSTORE_URL: sandbox.url,
  })
  expect([report.code, report.output]).toEqual([0, expect.stringContaining('Nothing failed')])
  expect(readFileSync(join(home.path, 'report.xml'), 'utf8')).toContain('<testsuite name="client"')
  const challenge = ['sandbox', 'challenge', 'lost-responses', '--', '/bin/true']
  expect((await run(challenge, { PETSTORE_SANDBOX_URL: url })).code).toBe(1)
  expect(await host.kill('SIGTERM')).toBe(0)
})

test('apart from Bun itself it takes at most 6 MB', () => {
  expect(statSync(file).size - statSync(process.execPath).size).toBeLessThan(6_000_000)
})
