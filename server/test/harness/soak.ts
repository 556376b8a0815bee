import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { SQL } from 'bun'
import { openStream } from '../platform/feed/reader.ts'
import { callUnchecked, startNodes } from './nodes.ts'
import { patiently } from './patiently.ts'
import { recordStatements } from './run/record-statements.ts'

/** What a node and its database use after some time of mixed load. Sizes are in bytes. */
export interface Sample {
  readonly seconds: number
  /** Since the sample before. `rejected`: with 503, and sent again. `failed`: with any other error, or without a response. */
  readonly requests: number
  readonly rejected: number
  readonly failed: number
  readonly medianMs: number
  readonly p99Ms: number
  readonly memory: number
  readonly descriptors: number
  /** Different statements sent to PostgreSQL so far: each is prepared once per connection and kept. */
  readonly statements: number | undefined
  readonly connections: number | undefined
  readonly data: number
  /** The write-ahead log. */
  readonly log: number
  /** Webhook deliveries received so far. */
  readonly delivered: number
}

interface SoakOptions {
  /** An empty database. */
  readonly databaseUrl: string
  /** Of a role that may see how large the log of PostgreSQL is, if that of the service may not. */
  readonly monitorUrl?: string | undefined
  readonly seconds: number
  readonly everySeconds: number
  readonly perSecond: number
  readonly onSample: (sample: Sample) => void
}

const inFlightMax = 64
const ticksPerSecond = 10

type Send = (method: string, path: string, body?: unknown) => ReturnType<typeof callUnchecked>
type Action = (send: Send, pet: number, turn: number) => Promise<unknown>

/** The mix: each has the same share. */
const actions: readonly Action[] = [
  (send, pet) => send('GET', `/pets/${pet}/profile`),
  (send, pet) => send('GET', `/pets/${pet}/profile`),
  (send) => send('GET', '/pets?limit=20&status=available&sort=-name'),
  (send, _pet, turn) => send('GET', `/pets?q=guppy%20${turn % 100}`),
  (send) => send('GET', '/events?after=latest'),
  (send) => send('GET', '/pets/counts'),
  (send, pet) => send('POST', `/store/inventory/${pet}/adjustments`, { delta: 5, reason: 'soak' }),
  (send, pet, turn) => send('PATCH', `/pets/${pet}`, { name: `Guppy ${turn}` }),
  async (send, petId, turn) => {
    const { body } = await send('POST', '/store/orders', { petId })
    await (turn % 2 === 0
      ? send('DELETE', `/store/orders/${body.id}`)
      : send('PATCH', `/store/orders/${body.id}`, { complete: true }))
  },
]

/** Runs a node under mixed load, with an event stream and a webhook, and reports what it uses. */
export async function soak({ databaseUrl, monitorUrl, ...load }: SoakOptions): Promise<void> {
  const { seconds, everySeconds, perSecond, onSample } = load
  const isFile = databaseUrl.startsWith('sqlite:')
  const recorder = isFile ? undefined : await recordStatements(databaseUrl)
  const cluster = await startNodes(1, { WEBHOOK_ALLOW_PRIVATE: 'true' }, recorder?.url ?? databaseUrl)
  const sql = isFile ? undefined : new SQL(monitorUrl ?? databaseUrl, { max: 1 })
  const { url = '', pid = 0 } = cluster.nodes[0] ?? {}
  let delivered = 0
  const receiver = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(`${++delivered}`) })
  const admin: Send = (method, path, body) => callUnchecked(url, cluster.adminSecret, method, path, body)
  const ample = { plan: 'enterprise', limits: { perMinute: 1_000_000, perDay: 100_000_000 } }
  const { secret } = (await admin('POST', '/keys', { name: 'Soak', preset: 'admin', ...ample })).body
  await callUnchecked(url, secret, 'POST', '/webhooks', {
    url: `http://127.0.0.1:${receiver.port}/`,
    events: ['order.placed'],
  })
  const { id: categoryId } = (await admin('POST', '/categories', { name: 'Fish' })).body
  const pets: number[] = []
  for (let index = 0; index < 20; index++) {
    const { body: pet } = await admin('POST', '/pets', { name: `Guppy ${index}`, categoryId })
    await admin('PUT', `/store/inventory/${pet.id}`, { quantity: 1_000_000 })
    pets.push(pet.id)
  }

  let [inFlight, turn, rejected, failed, times] = [0, 0, 0, 0, [] as number[]]
  const send: Send = async (method, path, body) => {
    const response = await patiently(async () => {
      const startedAt = performance.now()
      const given = await callUnchecked(url, secret, method, path, body)
      times.push(performance.now() - startedAt)
      if (given.status === 503) rejected++
      return given
    })
    if (response.status >= 400) failed++
    return response
  }
  async function act(): Promise<void> {
    inFlight++
    const action = actions[turn % actions.length] as Action
    await action(send, pets[turn % pets.length] as number, turn++).catch(() => failed++)
    inFlight--
  }

  async function takeSample(at: number): Promise<Sample> {
    const sorted = times.toSorted((one, other) => one - other)
    const counts = { requests: sorted.length, rejected, failed }
    times = []
    rejected = failed = 0
    const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
    return {
      ...{ seconds: at, ...counts, medianMs: share(0.5), p99Ms: share(0.99) },
      ...{ ...usedBy(pid), statements: recorder?.recorded().length, delivered },
      ...(sql ? await sizesOf(sql) : fileSizesOf(databaseUrl.slice('sqlite:'.length))),
    }
  }

  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) / 1_000
  try {
    for (let next = everySeconds; next <= seconds; next += everySeconds) {
      const stream = await openStream(`${url}/events/stream?type=order.placed`, secret)
      while (elapsed() < next) {
        for (let count = 0; count < perSecond / ticksPerSecond && inFlight < inFlightMax; count++) void act()
        await Bun.sleep(1_000 / ticksPerSecond)
      }
      stream.close()
      while (inFlight > 0) await Bun.sleep(10)
      onSample(await takeSample(elapsed()))
    }
  } finally {
    await sql?.close()
    await cluster.stop()
    await receiver.stop(true)
    recorder?.stop()
  }
}

/** Memory and open files of a process; 0 where there is no /proc. */
function usedBy(pid: number): { memory: number; descriptors: number } {
  const folder = `/proc/${pid}`
  if (!existsSync(folder)) return { memory: 0, descriptors: 0 }
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`${folder}/status`, 'utf8')) ?? []
  return { memory: Number(kilobytes) * 1024, descriptors: readdirSync(`${folder}/fd`).length }
}

const fileSizesOf = (path: string) => ({
  connections: undefined,
  data: statSync(path).size,
  log: existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0,
})

async function sizesOf(sql: SQL): Promise<{ connections: number; data: number; log: number }> {
  const [row] = await sql.unsafe(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE application_name LIKE 'petstore%') AS connections,
       pg_database_size(current_database())::float8 AS data, (SELECT sum(size)::float8 FROM pg_ls_waldir()) AS log`,
  )
  return row
}
