import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { type RunningProxy, startCaddy } from '../harness/run/caddy.ts'
import { debianProgram } from '../harness/run/debian-program.ts'
import { type RunningService, root, runProgram, runService } from '../harness/run/run-service.ts'
import { programFile } from '../harness/run/test-programs.ts'
import { newDirectory } from '../harness/scratch.ts'

// What deploy/ starts, started as it says, without systemd and without a container engine.

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')
const petstore = [process.execPath, programFile('petstore')]

async function send(url: string, key: string, path: string, body?: object) {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

test.if(!onPostgres)(
  'the systemd units serve a shop from a private folder, and back it up while it serves',
  async () => {
    using scratch = newDirectory()
    const inState = (text: string) => text.replaceAll('/var/lib/petstore', scratch.path)
    /** The program as a unit starts it, with its settings, folders and mask. */
    function startUnit(name: string, readyWhen: RegExp) {
      const unit = inState(read(`systemd/${name}.service`))
      const settingOf = (setting: string) => new RegExp(`^${setting}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
      const [program, ...words] = settingOf('ExecStart').split(' ')
      expect(program).toBe('/usr/local/bin/petstore')
      const mode = Number.parseInt(settingOf('StateDirectoryMode'), 8)
      for (const folder of settingOf('StateDirectory').split(' '))
        mkdirSync(join(scratch.path, folder.replace(/^petstore\/?/, '')), { recursive: true, mode })
      const variables = settingOf('Environment')
        .split(' ')
        .map((pair) => pair.split('=', 2))
      return runProgram({
        command: ['sh', '-c', `umask ${settingOf('UMask')} && exec "$@"`, 'sh', ...petstore, ...words],
        cwd: settingOf('WorkingDirectory'),
        env: { PORT: '0', LOG_LEVEL: 'warn', ...Object.fromEntries(variables) },
        readyWhen,
      })
    }
    const ready = /is ready on port (\d+)\./
    await using service = startUnit('petstore', ready)
    await service.ready
    const url = `http://127.0.0.1:${ready.exec(service.output())?.[1]}`
    const key = /ps_\w{36}/.exec(service.output())?.[0] ?? ''
    expect((await send(url, key, '/categories', { name: 'Dogs' })).status).toBe(201)

    await using backup = startUnit('petstore-backup', /Wrote /)
    expect([await backup.exited, backup.errors()]).toEqual([0, ''])
    expect(readdirSync(join(scratch.path, 'backups')).length).toBe(1)
    const modes = readdirSync(scratch.path).map((name) => statSync(join(scratch.path, name)).mode & 0o077)
    expect(modes.filter((mode) => mode !== 0)).toEqual([])
    expect([await service.kill('SIGTERM'), service.errors()]).toEqual([0, ''])
  },
)

const caddy = onPostgres ? debianProgram('caddy') : undefined

describe.if(caddy !== undefined)('the nodes of Compose behind its proxy', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { image: string; environment: Record<string, string> }>
  }
  const adminSecret = newSecret()
  let database: TestDatabase
  let nodes: RunningService[] = []
  let proxy: RunningProxy
  beforeAll(async () => {
    database = await createTestDatabase()
    /** Where the tests run, and what a person sets in .env. */
    const local: Record<string, string> = {
      ...{ DATABASE_URL: database.url, METRICS_PORT: '0', TRUSTED_PROXIES: '127.0.0.0/8', ADMIN_API_KEY: adminSecret },
    }
    nodes = Object.values(services)
      .filter(({ image }) => image.startsWith('petstore:'))
      .map(({ environment }) => {
        const asSet = Object.entries(environment).map(([name, text]) => [name, text.replace(/\$\{\w+:-(.*)\}/, '$1')])
        return runService({ env: { ...Object.fromEntries(asSet), ...local } })
      })
    // All at once, on an empty database.
    await Promise.all(nodes.map(({ ready }) => ready))
    proxy = await startCaddy(
      caddy ?? '',
      nodes.map(({ url }) => url),
    )
  })
  afterAll(async () => {
    await proxy?.stop()
    await Promise.all(nodes.map((node) => node.kill('SIGKILL')))
    await database.remove()
  })

  test('sell from one sample shop, and lose no write while one of them stops', async () => {
    expect(nodes.length).toBe(3)
    expect((await send(proxy.url, adminSecret, '/store/orders', { petId: 23 })).status).toBe(201)
    const write = () => send(proxy.url, adminSecret, '/categories', { name: crypto.randomUUID() })
    const stopping = nodes[0]?.kill('SIGTERM')
    let hasStopped = false
    void stopping?.then(() => {
      hasStopped = true
    })
    const seen = new Set<number>()
    while (!hasStopped) seen.add((await write()).status)
    for (let times = 0; times < 6; times++) seen.add((await write()).status)
    expect([await stopping, [...seen]]).toEqual([0, [201]])
  })
})
