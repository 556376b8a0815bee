import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { freePort } from '../../../scripts/free-port.ts'
import { newSecret } from '../../src/keys/secret.ts'
import { endAll, keyIn, newDirectory, type Running, removeDirectory, root, run } from './running-process.ts'

// `bun server/src/main.ts` as a user starts it. These processes run on SQLite, whatever the other tests run on.

const directories: string[] = []
const directory = () => {
  const made = newDirectory()
  directories.push(made)
  return made
}
afterAll(() => {
  endAll()
  directories.forEach(removeDirectory)
})

const get = (running: Running, path: string, key: string) =>
  fetch(running.url + path, { headers: { 'X-API-Key': key } })

async function stop(running: Running): Promise<void> {
  running.kill('SIGTERM')
  expect(await running.exited).toBe(0)
}

test('the first start prints addresses, a key and a line to paste; the second keeps the data and prints no key', async () => {
  const home = directory()
  const port = await freePort()
  const first = run(home, port)
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

  const second = run(home, port)
  await second.ready
  expect(keyIn(second.output())).toBe('')
  const kept = (await (await get(second, '/categories?limit=100', key)).json()) as { name: string }[]
  expect(kept).toHaveLength(categories.length + 1)
  expect(kept.at(-1)?.name).toBe('Mine')
  await stop(second)
})

test('ADMIN_API_KEY is the first key and is not printed; SAMPLE_DATA=false leaves the shop empty', async () => {
  const key = newSecret()
  const running = run(directory(), await freePort(), { ADMIN_API_KEY: key, SAMPLE_DATA: 'false' })
  await running.ready
  expect(running.output()).not.toContain(key)
  const answer = await get(running, '/pets', key)
  expect([answer.status, await answer.json()]).toEqual([200, []])
  await stop(running)
})

test('faults in the configuration end the start with a sentence for each', async () => {
  const running = run(directory(), await freePort(), { LOG_LEVEL: 'loud', TRUSTED_PROXIES: 'proxy' })
  expect(await running.exited).toBe(1)
  expect(running.errors()).toContain('LOG_LEVEL is "loud"')
  expect(running.errors()).toContain('TRUSTED_PROXIES is "proxy"')
})

test('a database that cannot be opened ends the start with a sentence', async () => {
  const home = directory()
  await Bun.write(join(home, 'notes.txt'), 'This is not a database.')
  const running = run(home, await freePort(), { DATABASE_URL: 'sqlite:notes.txt' })
  expect(await running.exited).toBe(1)
  expect(running.errors()).toMatch(
    /^The database notes\.txt cannot be opened \(.+\)\. Set DATABASE_URL to sqlite:<path>/,
  )
})

test('a database that is damaged ends the start with the reason', async () => {
  const home = directory()
  const path = join(home, 'petstore.db')
  const database = new Database(path, { create: true })
  database.run('CREATE TABLE schema_versions (version INTEGER PRIMARY KEY)')
  database.close()
  const bytes = await Bun.file(path).bytes()
  // All behind the first page, which alone is read when the file is opened.
  await Bun.write(path, bytes.fill(0xff, 4096))
  const running = run(home, await freePort(), { DATABASE_URL: 'sqlite:petstore.db' })
  expect(await running.exited).toBe(1)
  expect(running.errors()).toBe('the database is unavailable (database disk image is malformed)\n')
})

test('a PostgreSQL that cannot be reached ends the start with a sentence', async () => {
  const url = `postgres://petstore:hidden@127.0.0.1:${await freePort()}/petstore`
  const running = run(directory(), await freePort(), { DATABASE_URL: url })
  expect(await running.exited).toBe(1)
  expect(running.errors()).toMatch(/^The database cannot be reached \(.+\)\. Start PostgreSQL, or set DATABASE_URL/)
  expect(running.errors()).not.toContain('hidden')
})

test('a port in use ends the start with a sentence, and the first key is not lost by it', async () => {
  const home = directory()
  const port = await freePort()
  const other = Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response() })
  const refused = run(home, port)
  expect(await refused.exited).toBe(1)
  expect(refused.errors()).toBe(`Port ${port} is in use. Stop the program that has it, or set PORT to another port.\n`)
  await other.stop(true)
  const running = run(home, port)
  await running.ready
  expect((await get(running, '/pets', keyIn(running.output()))).status).toBe(200)
  await stop(running)
})

test('a second start on the same port is refused, and the first goes on serving', async () => {
  const port = await freePort()
  const metricsPort = await freePort()
  const env = { METRICS_PORT: String(metricsPort), NODE_ENV: 'production' }
  const first = run(directory(), port, env)
  await first.ready
  const samePort = run(directory(), port)
  expect(await samePort.exited).toBe(1)
  expect(samePort.errors()).toContain(`Port ${port} is in use.`)
  const sameMetrics = run(directory(), await freePort(), env)
  expect(await sameMetrics.exited).toBe(1)
  expect(sameMetrics.errors()).toContain(`Port ${metricsPort} is in use.`)
  expect((await get(first, '/pets', keyIn(first.output()))).status).toBe(200)
  await stop(first)
})

test('a program starts on a newer schema, unless the schema says that it is too old', async () => {
  const home = directory()
  const port = await freePort()
  const first = run(home, port)
  await first.ready
  await stop(first)
  const database = new Database(join(home, 'data/petstore.db'))
  database.run("INSERT INTO schema_versions (version, name, applied_at) VALUES (999, 'from the future', 0)")
  const second = run(home, port)
  await second.ready
  expect((await get(second, '/pets', keyIn(first.output()))).status).toBe(200)
  await stop(second)
  database.run('UPDATE schema_versions SET oldest_program = 998 WHERE version = 999')
  database.close()
  const third = run(home, port)
  expect(await third.exited).toBe(1)
  expect(third.errors()).toMatch(
    /at schema version 999, which needs a program that knows 998; this one knows \d+\. Start a newer version/,
  )
})

test('of processes that start at once on a new database one makes the admin key and serves, the others name it', async () => {
  const home = directory()
  const all: Running[] = []
  for (let count = 0; count < 3; count++) all.push(run(home, await freePort()))
  const isServing = await Promise.all(all.map(({ ready }) => ready.then(() => true).catch(() => false)))
  const [serving, ...more] = all.filter((_, index) => isServing[index])
  expect(more).toEqual([])
  const key = keyIn(serving?.output() ?? '')
  expect((await get(serving as Running, '/pets', key)).status).toBe(200)
  for (const refused of all.filter((running) => running !== serving)) {
    expect(await refused.exited).toBe(1)
    expect(refused.errors()).toMatch(/^The database data\/petstore\.db is served by .+ already\./)
    expect(keyIn(refused.output())).toBe('')
  }
  await stop(serving as Running)
})

/** What the key has left today: asking costs nothing, so it tells when another request has come in. */
async function leftToday(running: Running): Promise<number> {
  const answer = await get(running, '/limits', keyIn(running.output()))
  const { windows } = (await answer.json()) as { windows: { name: string; remaining: number }[] }
  return windows.find(({ name }) => name === 'day')?.remaining ?? 0
}

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s lets the request under way finish and then ends with 0',
  async (signal) => {
    const running = run(directory(), await freePort(), { LOG_LEVEL: 'info' })
    await running.ready
    const bytes = new TextEncoder()
    const stopping = async () => {
      while (!running.errors().includes('"stopping"')) await Bun.sleep(5)
    }
    // The body arrives in two parts, the second after the signal: the request is under way when the signal comes.
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
    const answer = fetch(`${running.url}/categories`, { method: 'POST', headers, body })
    while ((await leftToday(running)) === before) await Bun.sleep(50)
    running.kill(signal)
    expect((await answer).status).toBe(201)
    expect(await running.exited).toBe(0)
  },
)

test.each(['SIGTERM', 'SIGHUP'] as const)('%s drains: the node says so and answers on', async (signal) => {
  const running = run(directory(), await freePort(), { DRAIN_SECONDS: '3600' })
  await running.ready
  running.kill(signal)
  const readiness = async () => (await (await fetch(`${running.url}/readyz`)).json()) as { status: string }
  while ((await readiness()).status === 'ok') await Bun.sleep(20)
  expect((await readiness()).status).toBe('draining')
  expect((await get(running, '/pets', keyIn(running.output()))).status).toBe(200)
  running.kill('SIGKILL')
  await running.exited
})

test('a SIGTERM for npm start stops the service too', async () => {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), DATABASE_URL: `sqlite:${join(directory(), 'shop.db')}` }
  const npm = Bun.spawn(['npm', 'start'], { cwd: root, env, stdout: 'ignore', stderr: 'ignore' })
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  const becomes = async (wanted: boolean) => {
    for (let waited = 0; waited < 20_000 && (await answers()) !== wanted; waited += 100) await Bun.sleep(100)
    return answers()
  }
  expect(await becomes(true)).toBe(true)
  npm.kill('SIGTERM')
  expect(await becomes(false)).toBe(false)
})
