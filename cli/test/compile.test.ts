import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { root, runProgram } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'

describe('the executable that npm run compile makes', () => {
  test('serves the shop and its pages with their assets, and runs commands, with nothing installed', async () => {
    using home = newDirectory()
    const file = join(home.path, 'petstore')
    const build = Bun.spawnSync([process.execPath, 'scripts/compile.ts', file], { cwd: root })
    expect([build.exitCode, build.stderr.toString()]).toEqual([0, ''])

    await using service = runProgram({
      command: [file, 'serve', '--sample', '--port', '0'],
      cwd: home.path,
      env: { PATH: '/nonexistent', LOG_LEVEL: 'warn' },
      readyWhen: /is ready on port (\d+)\./,
    })
    await service.ready
    const [, port] = /is ready on port (\d+)\./.exec(service.output()) ?? []
    const url = `http://127.0.0.1:${port}`
    const key = /ps_\w{36}/.exec(service.output())?.[0] ?? ''

    const page = await (await fetch(`${url}/docs`)).text()
    const assets = [...new Set(page.match(/\/assets\/[\w.-]+/g))]
    expect(assets.length).toBeGreaterThanOrEqual(3)
    for (const path of [...assets, '/', '/docs/guides/keys', '/errors', '/openapi.yaml', '/llms.txt']) {
      const response = await fetch(url + path)
      expect([path, response.status, (await response.text()).length > 200]).toEqual([path, 200, true])
    }
    const pets = await fetch(`${url}/pets?limit=3`, { headers: { 'X-API-Key': key } })
    expect([pets.status, ((await pets.json()) as unknown[]).length]).toEqual([200, 3])

    const list = Bun.spawn([file, 'pets', 'get', '1', '--json'], {
      cwd: home.path,
      env: { PETSTORE_URL: url, PETSTORE_API_KEY: key },
      stdout: 'pipe',
    })
    expect(JSON.parse(await list.stdout.text())).toMatchObject({ id: 1, name: 'Rex' })
    expect(await service.kill('SIGTERM')).toBe(0)
  })
})
