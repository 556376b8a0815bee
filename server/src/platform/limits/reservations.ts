import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { runOneAtATime } from '../lib/concurrency.ts'
import type { Limits } from '../lib/limits.ts'
import { dayMs, minuteMs } from '../lib/time.ts'
import { loadCounters, loadReservations, saveCounters, saveReservations } from './counters.ts'
import { type Meters, startsOf, windowStart } from './limiter.ts'

/**
 * Requests that the database counts as used before they are. After a crash a reservation counts as used: a key loses a little, no limit
 * is ever exceeded, and one write covers many requests.
 *
 * Each subject has an account, whose state follows from its numbers:
 *
 * | State       | `covered - admitted`        | The next request                                 |
 * | ----------- | --------------------------- | ------------------------------------------------ |
 * | covered     | at least half a block       | is admitted immediately                          |
 * | running low | 0 to half a block           | is admitted immediately; a new block is requested |
 * | uncovered   | below 0                     | waits until a write covers it, unless stalled    |
 */
interface Account {
  /** Requests admitted since the account was opened, and how many of them the database covers. */
  admitted: number
  covered: number
  /** Minutes whose counts have changed since they were written. */
  minutes: Set<number>
}

/**
 * Whether writes work. `stalled`: the last one failed or took too long, so requests no longer wait to be covered, until a flush
 * succeeds.
 */
type WriteState = 'working' | 'stalled'

const openAccount = (): Account => ({ admitted: 0, covered: 0, minutes: new Set() })

/** Longest wait for a write. Another process may lock the file for longer, and reads must not wait for that. */
const writeWaitMs = 250

/** About what a node admits in a second or two: reserving more would save no write, and a crash would cost more. */
const blockMax = 100_000

/** How many requests to reserve, and so to lose in a crash: at most a tenth of the minute's and a hundredth of the day's limit. */
const blockOf = ({ perMinute, perDay }: Limits): number =>
  Math.max(1, Math.floor(Math.min(perMinute / 10, perDay / 100, blockMax)))

/** One subject's share of a write. */
interface AccountWrite {
  readonly subject: string
  readonly account: Account
  readonly admitted: number
  readonly minutes: ReadonlySet<number>
  readonly block: number
  readonly reserved: number
}

export interface Reservations {
  /** Counts admitted requests. Returns a promise if they have to wait until a write covers them. */
  cover(subject: string, limits: Limits, now: number, cost: number): Promise<void> | undefined
  /** Releases the reservations of these subjects with the next write. */
  release(isReleased: (subject: string) => boolean): void
  write(): Promise<void>
}

/** Restores the counts of the previous process, and reserves from then on. */
export async function createReservations(db: Database, meters: Meters, now: number): Promise<Reservations> {
  const accounts = new Map<string, Account>()
  /** Subjects to write, and the block to reserve for each; 0 releases its reservation. */
  let requestedBlocks = new Map<string, number>()
  let nextWrite: Promise<void> | undefined
  let writeState: WriteState = 'working'
  await restoreCounts(db, meters, now)

  const write = runOneAtATime(async () => {
    nextWrite = undefined
    if (requestedBlocks.size === 0) return
    let writes: AccountWrite[] = []
    try {
      await db.urgently(async (tx) => {
        // Collected as late as possible, so that many requests share a write, and only once, even if the transaction is retried.
        if (writes.length === 0) {
          writes = [...requestedBlocks].map(prepareWrite)
          requestedBlocks = new Map()
        }
        await saveCounters(tx, writes.flatMap(changedCounters))
        await saveReservations(tx, writes)
      })
    } catch (error) {
      for (const { subject, account, minutes, block } of writes) {
        account.minutes = new Set([...minutes, ...account.minutes])
        if (!requestedBlocks.has(subject)) requestedBlocks.set(subject, block)
      }
      throw error
    }
    writeState = 'working'
    for (const { subject, account, admitted, reserved } of writes) {
      account.covered = admitted + reserved
      if (reserved === 0 && account.admitted === admitted) accounts.delete(subject)
    }
  })

  function prepareWrite([subject, block]: [string, number]): AccountWrite {
    const account = accounts.getOrInsertComputed(subject, openAccount)
    const { admitted, minutes } = account
    account.minutes = new Set()
    // A reservation that is being released must not be used meanwhile. Any other reservation stays.
    if (block === 0) account.covered = admitted
    return { subject, account, admitted, minutes, block, reserved: Math.max(block, account.covered - admitted) }
  }

  function changedCounters({ subject, minutes }: AccountWrite) {
    const meter = meters.of(subject)
    const days = new Set([...minutes].map((minute) => windowStart(minute, dayMs)))
    const rows = (period: 'minute' | 'day', starts: ReadonlySet<number>) =>
      [...starts].map((start) => ({ subject, period, starts_at: start, used: meter[period].at(start) }))
    return [...rows('minute', minutes), ...rows('day', days)]
  }

  /** Calls that arrive before the next write starts share it. */
  function writeSoon(): Promise<void> {
    nextWrite ??= write()
    return nextWrite
  }

  /** Waits until a write covers the request. If writes stall, reads go on; the next flush tries again and reports its failure. */
  async function whenCovered(account: Account): Promise<void> {
    const number = account.admitted
    while (account.covered < number && writeState === 'working') {
      const isWritten = writeSoon().then(
        () => true,
        () => false,
      )
      writeState = (await Promise.race([isWritten, pause(writeWaitMs, false)])) ? 'working' : 'stalled'
    }
  }

  return {
    cover(subject, limits, now, cost) {
      const account = accounts.getOrInsertComputed(subject, openAccount)
      account.admitted += cost
      account.minutes.add(windowStart(now, minuteMs))
      const block = blockOf(limits)
      if (account.covered - account.admitted < block / 2) requestedBlocks.set(subject, block)
      return account.admitted <= account.covered ? undefined : whenCovered(account)
    },
    release(isReleased) {
      for (const subject of accounts.keys()) if (isReleased(subject)) requestedBlocks.set(subject, 0)
    },
    write,
  }
}

/** Restores the counts that the previous process left. */
async function restoreCounts(db: Database, meters: Meters, now: number): Promise<void> {
  for (const { subject, period, starts_at, used } of await loadCounters(db, now)) {
    meters.of(subject)[period].set(starts_at, used)
  }
  const reservations = await loadReservations(db)
  if (reservations.length === 0) return
  // The previous process crashed: its reservations may have been used in any window, so they count as used in each.
  const current = startsOf(now)
  const counters = reservations.flatMap(({ subject, reserved }) =>
    (['minute', 'day'] as const).flatMap((period) => {
      const tally = meters.of(subject)[period]
      const starts = new Set([...tally.entries()].map(([start]) => start)).add(current[period])
      return [...starts].map((starts_at) => {
        const used = tally.at(starts_at) + reserved
        tally.set(starts_at, used)
        return { subject, period, starts_at, used }
      })
    }),
  )
  await db.transaction(async (tx) => {
    await saveCounters(tx, counters)
    await saveReservations(
      tx,
      reservations.map(({ subject }) => ({ subject, reserved: 0 })),
    )
  })
}
