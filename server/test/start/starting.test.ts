import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { type Config, readConfig } from '../../src/config.ts'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { petShop } from '../../src/shop/index.ts'
import { start } from '../../src/start.ts'
import type { Listen } from '../../src/surfaces/http/listener.ts'
import { alone } from '../../src/surroundings.ts'
import { committedContract } from '../contract/checker.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { testClock } from '../harness/service.ts'

// What a node serves between opening its port and the end of its first start, which another connection delays here.

const secret = newSecret()
const clock = testClock()
let database: TestDatabase
let url: string
let release: () => Promise<void>
let starting: ReturnType<typeof start>

beforeAll(async () => {
  database = await createTestDatabase()
  const env = { PORT: '0', DATABASE_URL: database.url, ADMIN_API_KEY: secret, SAMPLE_DATA: 'false' }
  const config = readConfig(env)
  const delay = await (process.env.TEST_ENGINE === 'postgres' ? holdOnPostgres : holdOnSqlite)(config)
  release = delay.release
  starting = start(
    petShop,
    delay.config,
    clock,
    createLog('error', () => undefined, clock.now),
    { ...alone, listen: listenAndTell },
  )
  // The port is not open while migrations run.
  const status = () =>
    fetch(`${url}/readyz`).then(async (response) => ((await response.json()) as { status: string }).status)
  await eventually(async () => (await status().catch(() => undefined)) === 'starting')
})
afterAll(async () => {
  await (await starting).stop()
  await database.remove()
})

/** Opens the port that the system chooses, and keeps its address. */
const listenAndTell: Listen = (host, port, served) => {
  const listener = alone.listen(host, port, served)
  url = `http://127.0.0.1:${listener.port}`
  return listener
}

interface Held {
  readonly config: Config
  release(): Promise<void>
}

async function holdOnPostgres(config: Config): Promise<Held> {
  const sql = new SQL(config.databaseUrl, { max: 1 })
  await sql`SELECT pg_advisory_lock(hashtextextended('petstore contents', 0))`
  return { config, release: () => sql.close() }
}

/** Takes the lock when a setting is read just after the port was opened; before that, the start needs the lock itself. */
async function holdOnSqlite(config: Config): Promise<Held> {
  let holder: Database | undefined
  return {
    config: {
      ...config,
      get metricsPort() {
        // The settings are read again when they are logged.
        if (holder === undefined) {
          holder = new Database(config.databaseUrl.replace(/^sqlite:/, ''))
          holder.run('BEGIN IMMEDIATE')
        }
        return undefined
      },
    },
    release: async () => holder?.close(),
  }
}

const send = (method: string, path: string, key?: string) =>
  fetch(url + path, { method, headers: key === undefined ? {} : { 'X-API-Key': key } })

test('until the first start is done, everything except health and readiness is 503 with Retry-After, and no caller is metered', async () => {
  for (const key of [secret, newSecret(), 'none', undefined]) {
    for (const [method, path] of [
      ['GET', '/pets'],
      ['POST', '/store/orders'],
      ['GET', '/limits'],
      ['GET', '/nowhere'],
      ['OPTIONS', '/pets'],
      ['GET', '/'],
      ['GET', '/openapi.json'],
    ] as const) {
      const response = await send(method, path, key)
      expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, '1'])
      expect(response.headers.get('x-request-id')).toBeString()
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('x-ratelimit-remaining')).toBe(response.headers.get('x-ratelimit-limit'))
      const body = await response.json()
      expect(body).toMatchObject({ code: 'unavailable', status: 503 })
      committedContract().check(method, path, response, body)
    }
  }
  expect((await send('GET', '/healthz')).status).toBe(200)
  expect((await send('GET', '/readyz')).status).toBe(503)

  await release()
  await starting
  expect((await send('GET', '/readyz')).status).toBe(200)
  // The first requests that count, for the key and for the address.
  const known = await send('GET', '/pets', secret)
  expect([known.status, known.headers.get('x-ratelimit-remaining')]).toEqual([200, '9999'])
  const unknown = await send('GET', '/pets')
  expect([unknown.status, unknown.headers.get('x-ratelimit-remaining')]).toEqual([401, '59'])
  expect((await send('GET', '/')).status).toBe(200)
})

test('a start that fails leaves the database to the next one', async () => {
  const own = await createTestDatabase()
  using taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const log = createLog('silent', () => undefined, clock.now)
  const begin = (port: number | undefined) => {
    const env = { PORT: String(port), DATABASE_URL: own.url, ADMIN_API_KEY: secret, SAMPLE_DATA: 'false' }
    return start(petShop, readConfig(env), clock, log, alone)
  }
  expect(await failureOf(begin(taken.port))).toBeInstanceOf(Error)
  await (await begin(0)).stop()
  await own.remove()
})
