import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTemporaryHost } from '../../server/src/sandbox/serve.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import { runProgram } from '../../server/test/harness/run/run-service.ts'
import { sendJson } from '../../server/test/harness/sandbox.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { petstore, program } from './harness/petstore.ts'

// sandbox run: a client in its own sandbox, and what its exit code says.

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
const scratch = newDirectory()
afterAll(async () => {
  await host.stop()
  scratch.remove()
})
const at = (name: string) => join(scratch.path, name)
/** As of a developer who otherwise works with a shop. */
const ownShop = { PETSTORE_URL: 'http://127.0.0.1:1', PETSTORE_API_KEY: 'ps_of_another_shop' }
const env = { PETSTORE_SANDBOX_URL: host.url, ...ownShop }

const send = (target: string) =>
  `const { PETSTORE_URL, PETSTORE_API_KEY } = process.env
  const { status } = await fetch(PETSTORE_URL + ${target}, { headers: { 'X-API-Key': PETSTORE_API_KEY } })
  await Bun.write(${JSON.stringify(at('status'))}, String(status))`
const good = send('"/pets/1/profile"')
const bad = send('"/categories?api_key=" + PETSTORE_API_KEY')

const run = (code: string, ...options: string[]) =>
  petstore(['sandbox', 'run', ...options, '--', process.execPath, '-e', code], { env })

test('a client that breaks no rule passes, with its report, and its sandbox ends', async () => {
  const file = at('report.xml')
  const { code, output, errors } = await run(good, '--junit', file, '--seen', 'credentials')
  expect([code, errors]).toEqual([0, ''])
  expect(output).toContain('Nothing failed. Passed: 1.')
  expect(readFileSync(file, 'utf8')).toContain('failures="0"')
  const { body } = await sendJson('GET', `${host.url}/sandboxes`)
  expect(body.data.length).toBe(1)
})

test('one that breaks a rule, fails, or sends nothing fails', async () => {
  const broken = await run(bad)
  expect([broken.code, broken.output]).toEqual([1, expect.stringContaining('✗ credentials')])
  const failing = await run(`${good}; process.exit(3)`)
  expect([failing.code, failing.errors]).toEqual([1, expect.stringContaining('The client ended with exit code 3.')])
  const silent = await run('0')
  expect([silent.code, silent.errors]).toEqual([1, expect.stringContaining('sent nothing to PETSTORE_URL')])
  expect((await run(good, '--seen', 'repeats')).code).toBe(1)
})

test('faults come from a file; one that is missing or wrong is rejected before the client runs', async () => {
  writeFileSync(at('faults.json'), '{"rules":[{"operation":"getPetProfile","fault":"unavailable","times":1}]}')
  expect((await run(good, '--faults', at('faults.json'), '--seed', 'ci')).code).toBe(0)
  expect(readFileSync(at('status'), 'utf8')).toBe('503')
  const touch = `await Bun.write(${JSON.stringify(at('ran'))}, '')`
  writeFileSync(at('wrong.json'), '{"rules":[{"operation":"sellPet","fault":"unavailable"}]}')
  writeFileSync(at('none.json'), '[]')
  for (const [file, reason] of [
    ['missing.json', 'cannot be read'],
    ['none.json', 'has no rules'],
    ['wrong.json', 'The fault rules are not valid. The sandbox host rejected PUT'],
  ] as const) {
    const { code, errors } = await run(touch, '--faults', at(file))
    expect([file, code, errors]).toEqual([file, 2, expect.stringContaining(reason)])
  }
  expect(existsSync(at('ran'))).toBe(false)
})

test.each(['run', 'challenge deprecation'])(
  'with --json, what the client of %s prints is not in the output',
  async (words) => {
    const client = ['--', process.execPath, '-e', "console.log('hello')"]
    const run = Bun.spawn([...program, '--json', 'sandbox', ...words.split(' '), ...client], {
      env: { ...process.env, ...env },
      stderr: 'ignore',
    })
    const output = await run.stdout.text()
    expect(() => JSON.parse(output)).not.toThrow()
  },
)

test.each([
  ['run', 'on a host that stays', 'SIGINT', env],
  ['run', 'on its own host', 'SIGTERM', ownShop],
  ['challenge limits', 'on a host that stays', 'SIGTERM', env],
  ['challenge limits', 'on its own host', 'SIGINT', ownShop],
] as const)('an interrupted %s %s ends its client, and leaves no sandbox', async (words, _, signal, env) => {
  const count = async () => (await sendJson('GET', `${host.url}/sandboxes`)).body.data.length
  const before = await count()
  const client = "process.stdout.write('process ' + process.pid + ' runs'); setInterval(() => {}, 1_000)"
  const running = runProgram({
    command: [...program, 'sandbox', ...words.split(' '), '--', process.execPath, '-e', client],
    env,
    readyWhen: /process \d+ runs/,
  })
  await running.ready
  const pid = Number(/process (\d+) runs/.exec(running.output())?.[1])
  expect(await running.kill(signal)).toBe(130)
  await eventually(() => !existsSync(`/proc/${pid}/exe`) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
  expect(await count()).toBe(before)
})

test('an interrupted challenge leaves no files of its host behind', async () => {
  using folder = newDirectory()
  const running = runProgram({
    command: [...program, 'sandbox', 'challenge', 'limits'],
    env: { TMPDIR: folder.path },
    readyWhen: /^Checked:/m,
  })
  await running.ready
  expect(readdirSync(folder.path)).not.toEqual([])
  expect(await running.kill('SIGINT')).toBe(130)
  expect(readdirSync(folder.path)).toEqual([])
})
