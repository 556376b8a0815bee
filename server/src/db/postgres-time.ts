import type { DatabaseClock } from '../lib/database-clock.ts'
import { hourMs } from '../lib/time.ts'
import type { Queryable } from './database.ts'

/** What time it is at the server, in milliseconds. */
export const serverTime = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

// By the beginning of the statement, which an index can be searched with.
export const noLaterThanServerTime = (time: string): string =>
  `least(${time}, (extract(epoch FROM statement_timestamp()) * 1000)::bigint)`

/** Another server whose clock differs by less is simply followed; so is one that differs by more than can be evened out in hours. */
const leadMsMin = 1_000
const leadMsMax = hourMs
/** While a difference is evened out, time passes this much slower or faster. */
const correction = 0.1

/** Written by the first node that comes over from another server: how far the time of all nodes was ahead of this server's clock. */
export interface Takeover {
  /** When its process was started, which tells servers apart. */
  readonly server: number
  readonly leadMs: number
  /** By the server's clock. */
  readonly since: number
}

interface Found {
  readonly at: number
  readonly server: number
  readonly takeover: string | null
}

const setting = 'server clock'
const look = `SELECT ${serverTime} AS at, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint AS server,
  (SELECT value FROM settings WHERE name = '${setting}') AS takeover`

/** How far the time of all nodes is still ahead of the server's clock when that says `at`. */
export function leadAt({ leadMs, since }: Takeover, at: number): number {
  const left = Math.max(0, Math.abs(leadMs) - Math.max(0, at - since) * correction)
  return Math.sign(leadMs) * Math.round(left)
}

/**
 * Returns what lets a clock follow the server's. When another server takes over, time goes on from where it was and approaches the
 * new clock slowly: nothing ends early and nothing begins twice. All nodes do so together, also those that start meanwhile.
 */
export function createTimeReader(db: Queryable, clock: DatabaseClock, serverChanged: (leadMs: number) => void) {
  let known: number | undefined

  return async function readTime(): Promise<void> {
    const sentAt = performance.now()
    const [found] = await db.query<Found>(look)
    const receivedAt = performance.now()
    if (!found) return
    const { at, server } = found
    const stored = found.takeover === null ? undefined : (JSON.parse(found.takeover) as Takeover)
    const current = stored?.server === server ? stored : undefined
    if (known !== undefined && known !== server && !current) {
      await storeTakeover(db, { server, leadMs: leadOver(clock.now() - at), since: at }, found.takeover)
      // Whether this node or another has stored it: from here on it is read.
      return readTime()
    }
    if (known !== undefined && known !== server) serverChanged(current?.leadMs ?? 0)
    known = server
    clock.follow({ at: at + (current ? leadAt(current, at) : 0), sentAt, receivedAt })
  }
}

const leadOver = (differenceMs: number): number =>
  Math.abs(differenceMs) < leadMsMin || Math.abs(differenceMs) > leadMsMax ? 0 : Math.round(differenceMs)

async function storeTakeover(db: Queryable, takeover: Takeover, replaced: string | null): Promise<void> {
  await db.query(
    `INSERT INTO settings (name, value) VALUES ('${setting}', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE settings.value = $2`,
    [JSON.stringify(takeover), replaced],
  )
}
