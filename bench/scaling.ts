// What a request costs on PostgreSQL, and where orders of one pet, one key or few connections become the limit: docs/scaling.md has the
// figures. BENCH_POSTGRES_SETTINGS (name=value, separated by spaces) changes the settings of the server.
import { SQL } from 'bun'
import { newSecret } from '../server/src/platform/keys/secret.ts'
import { type RunningService, runService } from '../server/test/harness/run/run-service.ts'
import { debianPostgres } from '../server/test/harness/run/test-postgres.ts'
import { processorSeconds } from './load.ts'
import { createShop, databaseSeconds, measureRound, startBenchPostgres } from './postgres-cost.ts'
import { say, seconds } from './settings.ts'

const inFlight = 64

interface Case {
  readonly name: string
  readonly nodes: number
  readonly send: (url: string, turn: number, worker: number) => Promise<Response>
  /** Whether the requests of a worker are counted; all are by default. */
  readonly isCounted?: (worker: number) => boolean
}

const secret = newSecret()
const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' }
const order = (url: string, petId: number) =>
  fetch(`${url}/store/orders`, { method: 'POST', headers, body: JSON.stringify({ petId }) })
// In the bench's shop, every tenth pet is available, starting with the first.
const cases: readonly Case[] = [
  {
    name: 'profile of one of 100 pets',
    nodes: 1,
    send: (url, turn) => fetch(`${url}/pets/${(turn % 100) + 1}/profile`, { headers }),
  },
  { name: 'order of one of 100 pets', nodes: 1, send: (url, turn) => order(url, (turn % 100) * 10 + 1) },
  { name: 'order of one of 100 pets, two nodes', nodes: 2, send: (url, turn) => order(url, (turn % 100) * 10 + 1) },
  { name: 'order of one pet', nodes: 1, send: (url) => order(url, 1) },
  { name: 'order of one pet, two nodes', nodes: 2, send: (url) => order(url, 1) },
  {
    name: 'order of one of 100 pets, while as many order one pet',
    nodes: 1,
    send: (url, turn, worker) => order(url, worker % 2 === 0 ? 1 : (turn % 99) * 10 + 11),
    isCounted: (worker) => worker % 2 === 1,
  },
]

/** Sends requests for a while, 64 at a time. Returns their times. */
async function load({ send, isCounted = () => true }: Case, urls: readonly string[], forSeconds: number) {
  const until = performance.now() + forSeconds * 1_000
  const times: number[] = []
  let [turn, failed] = [0, 0]
  async function work(worker: number): Promise<void> {
    while (performance.now() < until) {
      const startedAt = performance.now()
      const response = await send(urls[turn % urls.length] as string, turn++, worker)
      await response.arrayBuffer()
      if (!isCounted(worker)) continue
      if (response.ok) times.push(performance.now() - startedAt)
      else failed++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, worker) => work(worker)))
  return { times: times.toSorted((one, other) => one - other), failed }
}

const nodeSeconds = (used: readonly RunningService[]) =>
  used.reduce((sum, { pid }) => sum + (processorSeconds(pid) ?? Number.NaN), 0)

/** The rate and the cost of requests, 64 at a time, as a table. */
export async function measureScaling(): Promise<string> {
  say('PostgreSQL: many requests at a time …')
  const settings = process.env.BENCH_POSTGRES_SETTINGS?.split(' ') ?? []
  const server = await startBenchPostgres({ programs: debianPostgres(), settings })
  const nodes: RunningService[] = []
  try {
    const databaseUrl = await createShop(server, 'scaling', secret)
    await using sql = new SQL(databaseUrl, { max: 1 })
    const walBytes = async () => Number((await sql.unsafe("SELECT pg_current_wal_lsn() - '0/0' AS bytes"))[0].bytes)
    for (let node = 0; node < 2; node++)
      nodes.push(runService({ env: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' } }))
    await Promise.all(nodes.map(({ ready }) => ready))
    const lines = [
      `## ${inFlight} requests at a time, PostgreSQL`,
      '',
      '| | per second | p99 ms | node µs | database µs | WAL bytes |',
      '| --- | --- | --- | --- | --- | --- |',
    ]
    for (const work of cases) {
      const used = nodes.slice(0, work.nodes)
      const urls = used.map(({ url }) => url)
      const cells = await measureRound(server, work.name, async () => {
        await load(work, urls, seconds)
        const [node, database, wal] = [nodeSeconds(used), databaseSeconds(server.processId()), await walBytes()]
        const { times, failed } = await load(work, urls, seconds)
        const count = times.length
        const micro = (spent: number) => Math.round((spent / count) * 1_000_000)
        const value = [
          ...[work.name, Math.round(count / seconds), (times[Math.floor(count * 0.99)] ?? 0).toFixed(0)],
          ...[micro(nodeSeconds(used) - node), micro(databaseSeconds(server.processId()) - database)],
          Math.round(((await walBytes()) - wal) / count),
        ]
        return { value, requests: count, rejected: failed }
      })
      lines.push(`| ${cells.join(' | ')} |`)
    }
    return lines.join('\n')
  } finally {
    for (const node of nodes) await node.kill('SIGTERM')
    await server.remove()
  }
}
