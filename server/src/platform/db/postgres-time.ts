import type { DatabaseClock } from '../lib/database-clock.ts'
import { hourMs } from '../lib/time.ts'
import type { Queryable } from './database.ts'

/** The server's time in milliseconds. */
export const serverTime = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

// When the statement started: with this time, an index can be used.
export const noLaterThanServerTime = (time: string): string =>
  `least(${time}, (extract(epoch FROM statement_timestamp()) * 1000)::bigint)`

/** A new server's clock is followed directly if it differs by less than the first, or by more than the second: that would take hours. */
const leadMsMin = 1_000
const leadMsMax = hourMs
/** While a difference is corrected, time passes this much slower or faster. */
const correction = 0.1

/** Stored by the first node that switches to a new server: how far the time of all nodes was ahead of that server's clock. */
export interface Takeover {
  /** When the server process was started, which identifies it. */
  readonly server: number
  readonly leadMs: number
  /** By the server's clock. */
  readonly since: number
}

interface ServerTime {
  readonly at: number
  readonly server: number
  readonly takeover: string | null
}

const setting = 'server clock'
const selectTime = `SELECT ${serverTime} AS at, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint AS server,
  (SELECT value FROM settings WHERE name = '${setting}') AS takeover`

/** How far the time of all nodes is still ahead of the server's clock at its time `at`. */
export function leadAt({ leadMs, since }: Takeover, at: number): number {
  const left = Math.max(0, Math.abs(leadMs) - Math.max(0, at - since) * correction)
  return Math.sign(leadMs) * Math.round(left)
}

/**
 * Returns a function that makes a clock follow the server's. When another server takes over, time continues from where it was and
 * approaches the new clock slowly: nothing ends early and nothing starts twice. All nodes do so together, including new ones.
 */
export function createTimeReader(db: Queryable, clock: DatabaseClock, serverChanged: (leadMs: number) => void) {
  let knownServer: number | undefined

  return async function readTime(): Promise<void> {
    const sentAt = performance.now()
    const [found] = await db.query<ServerTime>(selectTime)
    const receivedAt = performance.now()
    if (!found) return
    const { at, server } = found
    const stored = found.takeover === null ? undefined : (JSON.parse(found.takeover) as Takeover)
    const current = stored?.server === server ? stored : undefined
    const isNewServer = knownServer !== undefined && knownServer !== server
    if (isNewServer && !current) {
      await storeTakeover(db, { server, leadMs: leadOver(clock.now() - at), since: at }, found.takeover)
      // This node or another one has stored it, so it can be read now.
      return readTime()
    }
    if (isNewServer) serverChanged(current?.leadMs ?? 0)
    knownServer = server
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
