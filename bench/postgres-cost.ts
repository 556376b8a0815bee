// Shared by the benches on PostgreSQL: the work, a database for each subject, and the cost of a request to the node and the database.
import { existsSync, readFileSync } from 'node:fs'
import { SQL } from 'bun'
import type { PostgresServer } from '../server/test/harness/run/embedded-postgres.ts'
import { load, type Target } from './load.ts'
import { leadInSeconds, seconds } from './settings.ts'
import { makeShop } from './shop.ts'
import { order } from './works.ts'

export const works = [
  { title: 'Pet by id, PostgreSQL', path: '/pets/7', warmUpTimes: 1 },
  // A disk takes a few hundred a second, so it takes longer until the code has run often enough.
  { title: 'Order, PostgreSQL', path: '/store/orders', body: order, warmUpTimes: 4 },
]

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

/** Measures one round. `rejected`: how many responses were not 2xx. */
export async function measureCost(
  server: PostgresServer,
  target: Target,
): Promise<Cost & { readonly rejected: number }> {
  await load(target, leadInSeconds)
  const before = databaseSeconds(server.processId())
  const { requests, rejected, cpuMicroseconds = Number.NaN } = await load(target, seconds)
  const spent = databaseSeconds(server.processId()) - before
  return { node: cpuMicroseconds, database: (spent / requests) * 1_000_000, rejected }
}

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
