import { afterAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { makeSearchPath } from './harness/search-path.ts'

// The GitHub Action and the guide's job for GitLab, as their runners run them: the tests of a client in a sandbox that npx starts.

const scratch = newDirectory()
afterAll(() => scratch.remove())
const at = (...names: string[]) => join(scratch.path, ...names)
const path = makeSearchPath(at('path'), 'bash', 'node', 'npm', 'npx', 'sh')
// Where npx finds the command line.
symlinkSync(join(root, 'node_modules'), at('node_modules'))

const client = `const { PETSTORE_URL, PETSTORE_API_KEY } = process.env
const inUrl = process.argv[2] === 'careless' ? '?api_key=' + PETSTORE_API_KEY : ''
const { status } = await fetch(PETSTORE_URL + '/categories' + inUrl, { headers: { 'X-API-Key': PETSTORE_API_KEY } })
console.log('status', status)
`
writeFileSync(at('client.mjs'), client)
writeFileSync(at('faults.json'), '{"rules":[{"operation":"listCategories","fault":"unavailable"}]}')

async function run(script: string, env: Record<string, string> = {}) {
  rmSync(at('report.xml'), { force: true })
  const child = Bun.spawn([at('path/bash'), '--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd: scratch.path,
    env: { PATH: path, HOME: at('home'), npm_config_offline: 'true', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, output: output + errors }
}
const failuresOf = (file: string) => /failures="(\d+)"/.exec(readFileSync(at(file), 'utf8'))?.[1]

interface Action {
  readonly inputs: Record<string, { required?: boolean; default?: string }>
  readonly runs: { readonly steps: { readonly run: string; readonly env: Record<string, string> }[] }
}
const { inputs, runs }: Action = parse(readFileSync(join(root, 'action.yml'), 'utf8'))

/** Runs the one step of the action with these inputs. */
function runAction(given: Record<string, string>) {
  const [{ run: script, env } = { run: '', env: {} }, ...others] = runs.steps
  expect(others).toEqual([])
  const fillIn = (_: string, name: string) => given[name] ?? inputs[name]?.default ?? ''
  const values = Object.entries(env).map(([name, text]) => [name, text.replace(/\$\{\{ inputs\.(\S+) \}\}/g, fillIn)])
  return run(script, Object.fromEntries(values))
}

test('the action passes with a good client, and fails with the report of a careless one or with its tests', async () => {
  const good = await runAction({ run: 'node client.mjs', junit: 'report.xml', seen: 'credentials' })
  expect([good.code, good.output]).toEqual([0, expect.stringContaining('Nothing failed. Passed: 1.')])
  expect([good.output.includes('status 200'), failuresOf('report.xml')]).toEqual([true, '0'])

  const careless = await runAction({ run: 'node client.mjs careless', junit: 'my report.xml' })
  expect([careless.code, failuresOf('my report.xml')]).toEqual([1, '1'])
  const failing = await runAction({ run: 'false | node client.mjs', require: 'should' })
  expect([failing.code, failing.output]).toEqual([1, expect.stringContaining('The client ended with exit code 1.')])
}, 300_000)

test('the action sets faults', async () => {
  const { code, output } = await runAction({ run: 'node client.mjs', faults: 'faults.json', seed: 'ci' })
  expect([code, output]).toEqual([0, expect.stringContaining('status 503')])
})

test('the job for GitLab keeps the report, and fails with it', async () => {
  const file = join(root, 'server/src/shop/guides/testing/gitlab-ci.yml')
  const [job, ...others] = Object.values<{ image: string; script: string[]; artifacts: object }>(
    parse(readFileSync(file, 'utf8')),
  )
  expect(others).toEqual([])
  expect(job).toEqual({
    image: expect.stringMatching(/^node:\d+$/),
    script: [expect.any(String)],
    artifacts: { when: 'always', reports: { junit: 'report.xml' } },
  })
  const [script = ''] = job?.script ?? []
  for (const [words, expected] of [
    ['', [0, '0']],
    [' careless', [1, '1']],
  ] as const) {
    writeFileSync(at('package.json'), JSON.stringify({ scripts: { test: `node client.mjs${words}` } }))
    const { code } = await run(script)
    expect([words, code, failuresOf('report.xml')]).toEqual([words, ...expected])
  }
})
