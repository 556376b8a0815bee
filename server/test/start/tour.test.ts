import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingNames } from '../../src/config.ts'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { exampleEnvironment } from '../harness/example-tools.ts'
import { root, runService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')

test('the tour of the README works as written, and a second time', async () => {
  const tour = readme.slice(readme.indexOf('## A five-minute tour'), readme.indexOf('## Configuration'))
  const steps = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, step]) => step)
  expect(steps.length).toBeGreaterThan(4)
  const key = newSecret()
  using home = newDirectory()
  await using running = runService({ cwd: home.path, env: { ADMIN_API_KEY: key } })
  await running.ready
  // Each grep of the tour checks the output; one without a match ends the script. The tour can be repeated.
  const env = exampleEnvironment(home.path, { PETSTORE_API_KEY: key, PETSTORE_URL: running.url })
  for (const time of ['first', 'second']) {
    const walked = Bun.spawn(['sh', '-euc', steps.join('\n')], {
      env,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors, exitCode] = await Promise.all([walked.stdout.text(), walked.stderr.text(), walked.exited])
    expect({ time, exitCode, errors, output }).toMatchObject({ time, exitCode: 0, errors: '' })
  }
  expect(await running.kill('SIGTERM')).toBe(0)
})

test('the configuration table lists exactly the existing settings', () => {
  const rowsOf = (text: string) => [...text.matchAll(/^\| `([A-Z_]+)` \|.*$/gm)]
  const all = rowsOf(readFileSync(join(root, 'docs/configuration.md'), 'utf8'))
  expect(all.map(([, name]) => name).toSorted()).toEqual(settingNames.toSorted())
  // The README repeats some of its rows.
  const repeated = rowsOf(readme).map(([row]) => row)
  expect(repeated.filter((row) => !all.some(([known]) => known === row))).toEqual([])
  expect(repeated.length).toBeGreaterThan(5)
})
