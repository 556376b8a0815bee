// Shared by the benches on PostgreSQL: the work, a database for each subject, and the cost of a request to the node and the database.
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { type PostgresServer, startPostgres } from '../server/test/harness/run/embedded-postgres.ts'
import { load, type Target } from './load.ts'
import { disturbanceIn, watchMachine } from './machine.ts'
import { leadInSeconds, say, seconds } from './settings.ts'
import { makeShop } from './shop.ts'
import { orderOf } from './works.ts'

export interface PostgresWork {
  readonly title: string
  readonly path: string
  readonly bodies?: readonly string[]
  readonly warmUpTimes: number
}

const orders = { path: '/store/orders', warmUpTimes: 4 } as const
// In the bench's shop, every tenth pet is available, starting with the first.
const manyPets = Array.from({ length: 100 }, (_, index) => orderOf(10 * index + 1))

export const works: readonly PostgresWork[] = [
  { title: 'Pet by id, PostgreSQL', path: '/pets/7', warmUpTimes: 1 },
  { title: 'Order of one pet, PostgreSQL', ...orders, bodies: [orderOf(7)] },
  { title: 'Order of one of 100 pets, PostgreSQL', ...orders, bodies: manyPets },
]

/** Starts a server for a bench. Its data is in memory where there is room, because disks stall; no checkpoint disturbs a round. */
export async function startBenchPostgres(options: Parameters<typeof startPostgres>[1] = {}): Promise<PostgresServer> {
  const home = hasRoomInMemory() ? mkdtempSync(join(memory, 'petstore-bench-')) : undefined
  const settings = ['max_wal_size=16GB', 'checkpoint_timeout=1h', ...(options.settings ?? [])]
  const server = await startPostgres(home, { ...options, settings })
  const remove = async () => {
    await server.remove()
    if (home) rmSync(home, { recursive: true, force: true })
  }
  return { ...server, remove }
}

const memory = '/dev/shm'
const roomNeeded = 4e9
function hasRoomInMemory(): boolean {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > roomNeeded
}

/** Creates a database with a shop, by the code of this commit or of another. Returns its URL. */
export async function createShop(
  server: PostgresServer,
  name: string,
  secret: string,
  make = makeShop,
): Promise<string> {
  const sql = new SQL(server.url, { max: 1 })
  await sql.unsafe(`CREATE DATABASE ${name}`)
  await sql.close()
  const url = new URL(server.url)
  url.pathname = `/${name}`
  await make(url.href, secret, 1_000)
  return url.href
}

/** Microseconds of CPU per request. */
export interface Cost {
  readonly node: number
  readonly database: number
}

const triesMax = 15
/** Before another try: what disturbed one lasts for a while. */
const pauseMs = 5_000

/** A round, and what makes it unusable. */
export interface Round<T> {
  readonly value: T
  readonly requests: number
  readonly rejected: number
}

/**
 * Measures one round; repeats it if the machine or a checkpoint disturbed it, if anything was rejected, or if nothing was done. Throws
 * if that keeps happening: no table is better than a wrong one.
 */
export async function measureRound<T>(
  server: PostgresServer,
  what: string,
  measure: () => Promise<Round<T>>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const checkpoint = await lastCheckpoint(server)
    const stop = watchMachine()
    const { value, requests, rejected } = await measure()
    const disturbance = disturbanceIn(stop())
    const isCheckpointed = (await lastCheckpoint(server)) !== checkpoint
    const fault =
      disturbance ??
      (isCheckpointed ? 'there was a checkpoint' : undefined) ??
      (rejected > 0 ? `${rejected} responses were not 2xx` : requests > 0 ? undefined : 'no request was completed')
    if (fault === undefined) return value
    if (tries === triesMax) throw new Error(`${what} could not be measured: ${fault}.`)
    say(`${what}: again, because ${fault}.`)
    await Bun.sleep(pauseMs)
  }
}

async function lastCheckpoint({ url }: PostgresServer): Promise<string> {
  await using sql = new SQL(url, { max: 1 })
  return (await sql.unsafe('SELECT checkpoint_lsn::text AS at FROM pg_control_checkpoint()'))[0].at
}

/** Measures the cost of a request in one round. */
export const measureCost = (server: PostgresServer, target: Target): Promise<Cost> =>
  measureRound(server, target.path, async () => {
    await load(target, leadInSeconds)
    const before = databaseSeconds(server.processId())
    const { requests, rejected, cpuMicroseconds = Number.NaN } = await load(target, seconds)
    const spent = databaseSeconds(server.processId()) - before
    return { value: { node: cpuMicroseconds, database: (spent / requests) * 1_000_000 }, requests, rejected }
  })

/** CPU time of the main process of a PostgreSQL, its children, and those that have ended. */
export function databaseSeconds(pid: number): number {
  const ticks = (of: string, fields: readonly number[]) => {
    const file = `/proc/${of}/stat`
    const all = existsSync(file) ? (readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []) : []
    return fields.reduce((sum, field) => sum + Number(all[field] ?? 0), 0)
  }
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const running = children.reduce((sum, child) => sum + ticks(child, [11, 12]), 0)
  return (ticks(String(pid), [11, 12, 13, 14]) + running) / 100
}
