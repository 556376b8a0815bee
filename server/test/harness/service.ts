import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig } from '../../src/config.ts'
import type { Shop } from '../../src/platform/compose/shop.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { finalFilter } from '../../src/platform/events/numbering.ts'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { type Clock, systemClock } from '../../src/platform/lib/clock.ts'
import { createLog, type Log } from '../../src/platform/telemetry/log.ts'
import { startHost } from '../../src/sandbox/start-host.ts'
import { petShop } from '../../src/shop/index.ts'
import { type ServiceComponents, start } from '../../src/start.ts'
import { type Contract, loadContract } from '../contract/checker.ts'
import { createMigratedDatabase, createTestDatabase } from './database.ts'
import { patiently } from './patiently.ts'

/** The service's clock on a machine whose time stands still until a test moves it. */
interface TestClock extends Clock {
  set(now: number): void
  /** Lets this much time pass. */
  advance(ms: number): void
  /** Sets the machine's clock forward or back without elapsed time. */
  leap(ms: number): void
}

/** Far in the past, so that a test can let years pass: PostgreSQL deletes only what is also old by its own clock. */
export const longAgo = Date.UTC(2010, 0, 1)

export function testClock(start = Date.UTC(2026, 10, 15, 12, 0, 0)): TestClock {
  let wall = start
  let running = 0
  const clock = systemClock(
    () => wall,
    () => running,
  )
  const leap = (ms: number) => {
    wall += ms
  }
  const advance = (ms: number) => {
    if (ms > 0) running += ms
    leap(ms)
  }
  return { ...clock, leap, advance, set: (to) => advance(to - wall) }
}

export interface Service {
  readonly url: string
  /** With METRICS_PORT. */
  readonly metricsUrl: string
  readonly clock: TestClock
  readonly context: ServiceComponents
  readonly contract: Contract
  /** The secret of the first administrator. */
  readonly adminSecret: string
  /** A client with a new key. */
  as(secret: string | undefined): Client
  readonly admin: Client
  /** Creates a key and a client that uses it. */
  newClient(key?: Record<string, unknown>): Promise<Client>
  /** Restarts the service on the same data, like a new process, with these settings changed. */
  restart(changes?: Record<string, string>): Promise<void>
  stop(): Promise<void>
  readonly logged: string[]
}

export interface Options {
  /** A service other than the pet shop. */
  readonly shop?: Shop
  readonly clock?: TestClock
  readonly env?: Record<string, string>
  /** Returns the address of a proxy to the database, if one is used. */
  readonly by?: (databaseUrl: string) => Promise<string>
}

/** The address through the proxy that records statements, if `npm run test:all` runs one. Nodes that tests cut off connect directly. */
function throughRecorder(databaseUrl: string): string {
  const { TEST_RECORDER } = process.env
  if (TEST_RECORDER === undefined) return databaseUrl
  const url = new URL(databaseUrl)
  url.host = TEST_RECORDER
  return url.href
}

/** A running service, however it was put together. */
interface Opened {
  readonly context: ServiceComponents
  readonly metricsPort?: number | undefined
  readonly url: string
  readonly adminSecret: string
  stop(): Promise<void>
}

/** The whole service as a sandbox, with its files below this directory. */
async function openInSandbox(
  shop: Shop,
  config: Config,
  hostTime: () => number,
  log: Log,
  directory: string,
): Promise<Opened> {
  const own = mkdtempSync(join(directory, 'host-'))
  const { host, stop } = await startHost({
    shop,
    config: { ...config, baseUrl: 'http://127.0.0.1:0', adminApiKey: undefined },
    log,
    directory: own,
    hostTime,
  })
  const { service, baseUrl, apiKey } = await host.create({ data: 'empty', lifetimeSeconds: 86_400 })
  return { context: service, url: baseUrl, adminSecret: apiKey, stop }
}

/** The whole service on a separate port and database. With TEST_IN_SANDBOX, a directory, it is a sandbox instead. */
export async function startService({
  shop = petShop,
  clock = testClock(),
  env = {},
  by,
}: Options = {}): Promise<Service> {
  // The migrated one is that of the pet shop.
  const database = await (shop === petShop ? createMigratedDatabase() : createTestDatabase())
  const first = newSecret()
  const logged: string[] = []
  const settings = {
    PORT: '0',
    BASE_URL: 'http://petstore.test',
    DATABASE_URL: by ? await by(database.url) : throughRecorder(database.url),
    ADMIN_API_KEY: first,
    SAMPLE_DATA: 'false',
    DATABASE_GRACE_SECONDS: '0',
    ...env,
  }
  let config = readConfig(settings)

  const log = createLog(config.logLevel, (text) => logged.push(text), clock.now)
  const openAlone = async (): Promise<Opened> => {
    const context = await start(shop, config, clock, log)
    const { port, metricsPort, stop } = context
    return { context, url: `http://127.0.0.1:${port}`, metricsPort, adminSecret: first, stop }
  }
  const { TEST_IN_SANDBOX: sandboxes } = process.env
  const open = sandboxes === undefined ? openAlone : () => openInSandbox(shop, config, clock.now, log, sandboxes)
  let running = await open()
  const contract = await loadContract(running.url)

  const service: Service = {
    clock,
    contract,
    logged,
    get adminSecret() {
      return running.adminSecret
    },
    get url() {
      return running.url
    },
    get metricsUrl() {
      return `http://127.0.0.1:${running.metricsPort}/metrics`
    },
    get context() {
      return running.context
    },
    as: (secret) => createClient(service, secret),
    get admin() {
      return service.as(running.adminSecret)
    },
    async newClient(key = {}) {
      const limits = { perMinute: 1_000_000, perDay: 1_000_000 }
      const plan = key.plan === undefined ? { plan: 'enterprise', limits } : {}
      const preset = key.scopes === undefined ? { preset: 'client' } : {}
      const wanted = { name: 'Test', ...plan, ...preset, ...key }
      const body = await mustCreate(() => service.admin.post('/keys', wanted))
      return createClient(service, body.secret, body.id)
    },
    async restart(changes = {}) {
      await running.stop()
      config = readConfig({ ...settings, ...changes })
      running = await open()
    },
    async stop() {
      await running.stop()
      await database.remove()
    },
  }
  return service
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and the contract checks the rest
  readonly body: any
  readonly text: string
}

export interface Client {
  readonly secret: string | undefined
  readonly keyId: number
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  delete(path: string, headers?: Record<string, string>): Promise<ApiResponse>
  newCategory(name?: string): Promise<number>
  /** A new pet in a new category, with this many in stock. */
  newPet(stock?: number): Promise<number>
}

const logTries = 500

/**
 * Waits until readers see all events. They see an event once no running transaction of the whole server can still precede it. Gives up
 * after a while, or if the database does not respond: a test may keep a transaction open or break it.
 */
export async function waitForLog(db: Database): Promise<void> {
  for (let tries = 0; tries < logTries; tries++) {
    const unread = await Promise.try(() =>
      db.query(`SELECT id FROM events WHERE NOT (${finalFilter(db)}) LIMIT 1`),
    ).catch(() => [])
    if (unread.length === 0) return
    await Bun.sleep(20)
  }
}

/** The resource that a request creates. On a busy machine the service may reject it at first. */
async function mustCreate(send: () => Promise<ApiResponse>): Promise<ApiResponse['body']> {
  const { status, body } = await patiently(send)
  if (status !== 201) throw new Error(`not created: ${JSON.stringify(body)}`)
  return body
}

/** Uses real HTTP, and checks every response against the served description before the test sees it. */
function createClient(service: Service, secret: string | undefined, keyId = 0): Client {
  const client: Client = {
    secret,
    keyId,
    async send(method, path, body, headers = {}) {
      if (/^\/events(\?|$)|\/replay$/.test(path)) await waitForLog(service.context.db)
      const raw = typeof body === 'string' || body instanceof Uint8Array
      const response = await fetch(service.url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(secret !== undefined && { 'X-API-Key': secret }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
      })
      const type = response.headers.get('content-type')
      const isStream = type === 'text/event-stream'
      if (isStream) await response.body?.cancel()
      const text = isStream ? '' : await response.text()
      const json = type?.includes('json') && text !== '' ? JSON.parse(text) : undefined
      service.contract.check(method, path, response, json)
      return { status: response.status, headers: response.headers, body: json, text }
    },
    get: (path, headers) => client.send('GET', path, undefined, headers),
    post: (path, body, headers) => client.send('POST', path, body, headers),
    put: (path, body, headers) => client.send('PUT', path, body, headers),
    patch: (path, body, headers) => client.send('PATCH', path, body, headers),
    delete: (path, headers) => client.send('DELETE', path, undefined, headers),
    async newCategory(name = 'Dogs') {
      return (await mustCreate(() => client.post('/categories', { name }))).id
    },
    async newPet(stock = 1) {
      const categoryId = await client.newCategory()
      const { id } = await mustCreate(() => client.post('/pets', { name: 'Rex', categoryId }))
      if (stock !== 1) await patiently(() => client.put(`/store/inventory/${id}`, { quantity: stock }))
      return id
    },
  }
  return client
}
