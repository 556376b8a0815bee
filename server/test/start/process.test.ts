import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { metricOf } from '../harness/nodes.ts'
import { onFreePort } from '../harness/run/free-port.ts'
import { type RunningService, runProgram, runService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

// The service as a user starts it, in a separate directory. Always on SQLite, whatever the engine of the other tests.

const keyIn = (output: string): string => /ps_[0-9A-Za-z]{36}/.exec(output)?.[0] ?? ''

const get = (running: RunningService, path: string, key: string) =>
  fetch(running.url + path, { headers: { 'X-API-Key': key } })

async function stop(running: RunningService): Promise<void> {
  expect(await running.kill('SIGTERM')).toBe(0)
}

test('the first start prints URLs, a key and a command to paste; the second keeps the data and prints no key', async () => {
  using home = newDirectory()
  await using first = runService({ cwd: home.path })
  await first.ready
  const key = keyIn(first.output())
  expect(first.output()).toContain(`${first.url}/openapi.json`)
  const line = /^ *(curl .*)$/m.exec(first.output())?.[1] ?? ''
  const pasted = Bun.spawnSync(['bash', '-c', line])
  expect(JSON.parse(pasted.stdout.toString())).toHaveLength(3)

  const categories = (await (await get(first, '/categories?limit=100', key)).json()) as unknown[]
  const pets = (await (await get(first, '/pets?limit=100', key)).json()) as unknown[]
  expect(categories.length).toBeGreaterThanOrEqual(5)
  expect(pets.length).toBeGreaterThanOrEqual(40)
  expect((await (await get(first, '/store/orders', key)).json()) as unknown[]).not.toBeEmpty()
  await fetch(`${first.url}/categories`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: '{"name":"Mine"}',
  })
  await stop(first)

  await using second = runService({ cwd: home.path })
  await second.ready
  expect(first.output()).toContain('The shop is new and has sample data. It is in data/petstore.db.')
  expect(second.output()).toContain('Your shop is still there, in data/petstore.db.')
  expect(keyIn(second.output())).toBe('')
  const kept = (await (await get(second, '/categories?limit=100', key)).json()) as { name: string }[]
  expect(kept).toHaveLength(categories.length + 1)
  expect(kept.at(-1)?.name).toBe('Mine')
  await stop(second)
})

test('with PORT=0 and METRICS_PORT=0 the system chooses the ports, which are printed, and links have the port', async () => {
  using home = newDirectory()
  await using running = runService({ cwd: home.path, env: { PORT: '0', METRICS_PORT: '0' } })
  await running.ready
  const addresses = [...running.output().matchAll(/^ +\w+ +(http:\S+)$/gm)].map(([, address]) => address as string)
  expect(addresses).toHaveLength(4)
  for (const address of addresses) expect((await fetch(address)).status).toBe(200)
  expect(new Set(addresses.map((address) => new URL(address).port))).toEqual(new Set([String(running.port)]))
  expect(await metricOf(running, 'petstore_schema_version')).toBeGreaterThan(0)
  const url = `http://127.0.0.1:${running.port}`
  const page = await get(running, '/pets?limit=1', keyIn(running.output()))
  expect(page.headers.get('link')).toStartWith(`<${url}/pets?`)
  expect(((await (await fetch(`${url}/openapi.json`)).json()) as { servers: unknown }).servers).toMatchObject([{ url }])
  await stop(running)
})

test('ADMIN_API_KEY is the first key and is not printed; SAMPLE_DATA=false leaves the shop empty', async () => {
  const key = newSecret()
  using home = newDirectory()
  await using running = runService({ cwd: home.path, env: { ADMIN_API_KEY: key, SAMPLE_DATA: 'false' } })
  await running.ready
  expect(running.output()).not.toContain(key)
  const response = await get(running, '/pets', key)
  expect([response.status, await response.json()]).toEqual([200, []])
  await stop(running)
})

test('configuration errors end the start with a message for each', async () => {
  using home = newDirectory()
  await using running = runService({ cwd: home.path, env: { LOG_LEVEL: 'loud', TRUSTED_PROXIES: 'proxy' } })
  expect(await running.exited).toBe(1)
  expect(running.failure()).toContain('LOG_LEVEL is "loud"')
  expect(running.failure()).toContain('TRUSTED_PROXIES is "proxy"')
})

test('a database that cannot be opened ends the start with a message', async () => {
  using home = newDirectory()
  await Bun.write(join(home.path, 'notes.txt'), 'This is not a database.')
  await using running = runService({ cwd: home.path, env: { DATABASE_URL: 'sqlite:notes.txt' } })
  expect(await running.exited).toBe(1)
  expect(running.failure()).toMatch(
    /^The database notes\.txt cannot be opened \(.+\)\. Set DATABASE_URL to sqlite:<path>/,
  )
})

test('a damaged database ends the start with the reason', async () => {
  using home = newDirectory()
  const path = join(home.path, 'petstore.db')
  const database = new Database(path, { create: true })
  database.run('CREATE TABLE schema_versions (version INTEGER PRIMARY KEY)')
  database.close()
  const bytes = await Bun.file(path).bytes()
  // Everything after the first page, the only one read when the file is opened.
  await Bun.write(path, bytes.fill(0xff, 4096))
  await using running = runService({ cwd: home.path, env: { DATABASE_URL: 'sqlite:petstore.db' } })
  expect(await running.exited).toBe(1)
  expect(running.failure()).toBe(
    'The database petstore.db cannot be opened (database disk image is malformed). Set DATABASE_URL to sqlite:<path> of another file, or restore a backup with petstore restore.',
  )
})

test('a HOST that is not of this machine ends the start before the database is created', async () => {
  using home = newDirectory()
  await using running = runService({ cwd: home.path, env: { HOST: 'nohost.invalid' } })
  expect(await running.exited).toBe(1)
  expect(running.failure()).toContain('HOST is "nohost.invalid" but must be an IP address of this machine')
  expect(existsSync(join(home.path, 'data'))).toBe(false)
  await using named = runService({ cwd: home.path, env: { HOST: 'localhost' } })
  await named.ready
  await stop(named)
})

test('an unreachable PostgreSQL ends the start with a message', async () => {
  const url = 'postgres://petstore:hidden@127.0.0.1:1/petstore'
  await using running = runService({ env: { DATABASE_URL: url } })
  expect(await running.exited).toBe(1)
  expect(running.failure()).toMatch(/^The database cannot be reached \(.+\)\. Start PostgreSQL, or set DATABASE_URL/)
  expect(running.errors()).not.toContain('hidden')
})

test('a port in use ends the start with a message, and the first key is not lost', async () => {
  using home = newDirectory()
  // A port that the system gives to no other program once it is free again.
  const other = await onFreePort(async (port) =>
    Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response() }),
  )
  const { port } = other
  const env = { PORT: String(port) }
  await using rejected = runService({ cwd: home.path, env })
  expect(await rejected.exited).toBe(1)
  expect(rejected.failure()).toBe(`Port ${port} is in use. Stop the program that uses it, or set PORT to another port.`)
  await other.stop(true)
  await using running = runService({ cwd: home.path, env })
  await running.ready
  expect((await get(running, '/pets', keyIn(running.output()))).status).toBe(200)
  await stop(running)
})

test('a second start on the same port is rejected, and the first keeps serving', async () => {
  using home = newDirectory()
  using other = newDirectory()
  const env = { METRICS_PORT: '0', NODE_ENV: 'production' }
  await using first = runService({ cwd: home.path, env })
  await first.ready
  const { metricsPort } = first
  await using samePort = runService({ cwd: other.path, env: { PORT: String(first.port) } })
  expect(await samePort.exited).toBe(1)
  expect(samePort.errors()).toContain(`Port ${first.port} is in use.`)
  await using sameMetrics = runService({ cwd: other.path, env: { ...env, METRICS_PORT: String(metricsPort) } })
  expect(await sameMetrics.exited).toBe(1)
  expect(sameMetrics.errors()).toContain(`Port ${metricsPort} is in use.`)
  expect((await get(first, '/pets', keyIn(first.output()))).status).toBe(200)
  await stop(first)
})

test('a program starts on a newer schema, unless the schema marks it as too old', async () => {
  using home = newDirectory()
  await using first = runService({ cwd: home.path })
  await first.ready
  await stop(first)
  const database = new Database(join(home.path, 'data/petstore.db'))
  database.run("INSERT INTO schema_versions (version, name, applied_at) VALUES (999, 'from the future', 0)")
  await using second = runService({ cwd: home.path })
  await second.ready
  expect((await get(second, '/pets', keyIn(first.output()))).status).toBe(200)
  await stop(second)
  database.run('UPDATE schema_versions SET oldest_program = 998 WHERE version = 999')
  database.close()
  await using third = runService({ cwd: home.path })
  expect(await third.exited).toBe(1)
  expect(third.errors()).toMatch(
    /at schema version 999, which requires a program that knows version 998; this one knows \d+\. Start a newer version/,
  )
})

test('of processes that start together on a new database, one creates the admin key and serves, the others report its process', async () => {
  using home = newDirectory()
  await using one = runService({ cwd: home.path })
  await using two = runService({ cwd: home.path })
  await using three = runService({ cwd: home.path })
  const all = [one, two, three]
  const isServing = await Promise.all(all.map(({ ready }) => ready.then(() => true).catch(() => false)))
  const [serving, ...more] = all.filter((_, index) => isServing[index])
  expect(more).toEqual([])
  const key = keyIn(serving?.output() ?? '')
  expect((await get(serving as RunningService, '/pets', key)).status).toBe(200)
  for (const rejected of all.filter((running) => running !== serving)) {
    expect(await rejected.exited).toBe(1)
    expect(rejected.failure()).toMatch(/^The database data\/petstore\.db is already served by .+\./)
    expect(keyIn(rejected.output())).toBe('')
  }
  await stop(serving as RunningService)
})

/** The key's remaining requests today. Asking is free, so it shows when another request has arrived. */
async function leftToday(running: RunningService): Promise<number> {
  const response = await get(running, '/limits', keyIn(running.output()))
  const { windows } = (await response.json()) as { windows: { name: string; remaining: number }[] }
  return windows.find(({ name }) => name === 'day')?.remaining ?? 0
}

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s lets the request under way finish, closes its connection and then ends with 0',
  async (signal) => {
    using home = newDirectory()
    await using running = runService({ cwd: home.path, env: { LOG_LEVEL: 'info' } })
    await running.ready
    const bytes = new TextEncoder()
    const stopping = async () => {
      await eventually(() => running.errors().includes('"stopping"'))
    }
    // The body arrives in two parts, the second after the signal, so the request is in progress when the signal comes.
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(bytes.encode('{"name":'))
        await stopping()
        controller.enqueue(bytes.encode('"Late"}'))
        controller.close()
      },
    })
    const before = await leftToday(running)
    const headers = { 'X-API-Key': keyIn(running.output()), 'Content-Type': 'application/json' }
    const response = fetch(`${running.url}/categories`, { method: 'POST', headers, body })
    await eventually(async () => (await leftToday(running)) !== before)
    void running.kill(signal)
    const { status, headers: received } = await response
    expect([status, received.get('connection')]).toEqual([201, 'close'])
    expect(await running.exited).toBe(0)
  },
)

test.each(['SIGTERM', 'SIGHUP'] as const)('%s drains: the node reports it and keeps responding', async (signal) => {
  using home = newDirectory()
  await using running = runService({ cwd: home.path, env: { DRAIN_SECONDS: '3600' } })
  await running.ready
  void running.kill(signal)
  const readiness = async () => (await (await fetch(`${running.url}/readyz`)).json()) as { status: string }
  await eventually(async () => (await readiness()).status !== 'ok')
  expect((await readiness()).status).toBe('draining')
  expect((await get(running, '/pets', keyIn(running.output()))).status).toBe(200)
})

test('a SIGTERM for npm start stops the service too', async () => {
  using home = newDirectory()
  await using npm = runProgram({
    command: ['npm', 'start'],
    env: { HOME: home.path, PORT: '0', DATABASE_URL: `sqlite:${join(home.path, 'shop.db')}` },
    readyWhen: /is ready on port \d+\./,
  })
  await npm.ready
  const [, url] = /Home +(\S+)/.exec(npm.output()) ?? []
  expect((await fetch(`${url}healthz`)).status).toBe(200)
  // Ends when its output is closed, which the service keeps open as long as it runs.
  await npm.kill('SIGTERM')
  expect(await failureOf(fetch(`${url}healthz`))).toBeInstanceOf(Error)
})
