import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Nodes, startNodes } from '../../server/test/harness/nodes.ts'
import { root } from '../../server/test/harness/run/run-service.ts'
import { newDirectory, type Scratch } from '../../server/test/harness/scratch.ts'
import { installPackages } from './harness/install.ts'
import { writePets } from './harness/pets-file.ts'

describe('the command line, packed and installed elsewhere, with Node alone', () => {
  let home: Scratch
  let shop: Nodes
  let installed: ReturnType<typeof installPackages>
  beforeAll(async () => {
    home = newDirectory()
    installed = installPackages(home.path)
    shop = await startNodes(1, { SAMPLE_DATA: 'true' })
  }, 300_000)
  afterAll(async () => {
    await shop?.stop()
    home.remove()
  })

  async function petstore(...words: string[]) {
    const child = Bun.spawn([installed.program, ...words], {
      cwd: home.path,
      env: {
        PATH: installed.path,
        HOME: home.path,
        PETSTORE_URL: shop.nodes[0]?.url ?? '',
        PETSTORE_API_KEY: shop.adminSecret,
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, output, errors }
  }

  test('uses a service: lists, changes, imports, exports and follows events', async () => {
    expect(await petstore('--version')).toEqual({ code: 0, output: '1.0.0\n', errors: '' })
    expect((await petstore('pets', 'list', '--limit', '1')).output).toMatch(/^1 +Rex +Dogs/m)
    const file = join(home.path, 'pets.ndjson')
    await writePets(file, 50)
    expect(await petstore('import', file)).toMatchObject({ code: 0, errors: '' })
    expect((await petstore('export', '--format', 'csv')).output).toContain('Pet 49')
    expect((await petstore('events', 'tail', '--after', 'evt_0_0', '--limit', '1')).code).toBe(0)
    expect((await petstore('api', 'GET', '/pets?limit=1', '--field', '.[0].name')).output).toBe('Rex\n')
    expect((await petstore('pets', 'get', '999999')).code).toBe(4)
  })

  test('commands that run the service or work on its database say that they need the service and Bun', async () => {
    const lines = [
      'sandbox',
      'serve',
      'migrate',
      'doctor',
      'backup x.db',
      'restore x.db',
      'copy a b',
      'keys create --admin',
    ]
    await Promise.all(
      lines.map(async (line) => {
        const { code, output, errors } = await petstore(...line.split(' '))
        expect([line, code, output]).toEqual([line, 2, ''])
        expect(errors).toContain('it needs the service and Bun, which this installation does not have')
      }),
    )
  })
})

test('in the repository the program works without Bun on the path, and passes its exit code on', async () => {
  const { bin } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'))
  const path = dirname(Bun.which('node') ?? '')
  const run = async (...words: string[]) => {
    const child = Bun.spawn([join(root, 'cli', bin.petstore), ...words], { env: { PATH: path }, stdout: 'pipe' })
    return [await child.exited, await child.stdout.text()]
  }
  expect(await run('--version')).toEqual([0, '1.0.0\n'])
  expect((await run('pets', 'get', 'Rex'))[0]).toBe(2)
})
