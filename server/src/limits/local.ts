import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import { runOneAtATime } from '../lib/run-one-at-a-time.ts'
import { saveAhead, saveCounters } from './counters.ts'
import { type Admission, isAddress, type Limiter } from './limiter.ts'
import { createMemoryLimiter } from './memory.ts'
import { takeUp } from './take-up.ts'
import { dayMs, hourMs, type Limits, minuteMs, windowStart } from './windows.ts'

/** How far a subject may go before the database must know more. */
interface Account {
  /** Requests admitted since the account was opened, and how many of them the database covers. */
  admitted: number
  covered: number
  /** Minutes whose counts have changed since they were written. */
  minutes: Set<number>
}

const openAccount = (): Account => ({ admitted: 0, covered: 0, minutes: new Set() })

/** Longest wait for a write. Another process may have the file for longer, and reads must not wait for it. */
const heldUpMs = 250

/** After so long without a request what was written ahead is given back. */
const idleMs = hourMs

/** As many as a node admits in a second or two: writing more ahead would save no write, and a crash would cost more. */
const blockMax = 100_000

/** So few that a crash, after which they count as used, costs no more than a tenth of a minute or a hundredth of a day. */
const blockOf = ({ perMinute, perDay }: Limits): number =>
  Math.max(1, Math.floor(Math.min(perMinute / 10, perDay / 100, blockMax)))

/**
 * The limiter of a single node: it counts in memory and writes ahead. Before a request is admitted that the database does
 * not cover, it is told the counts and a block of requests to come. After a crash the block counts as used: that costs a key
 * a little and never admits more, and one write covers many requests.
 */
export async function createLocalLimiter(db: Database, now: number): Promise<Limiter> {
  const memory = createMemoryLimiter()
  const accounts = new Map<string, Account>()
  /** Subjects to be written, and how many requests to come are written with them. */
  let wanting = new Map<string, number>()
  let soon: Promise<void> | undefined
  /** The last write failed or took too long, and none has been done since. */
  let isHeldUp = false
  await takeUp(db, memory.meters, now)

  const write = runOneAtATime(async () => {
    soon = undefined
    if (wanting.size === 0) return
    let writing: Writing[] = []
    try {
      await db.urgently(async (tx) => {
        // Late, so that many share a write, and once, should it be begun again.
        if (writing.length === 0) {
          writing = [...wanting].map(begin)
          wanting = new Map()
        }
        await saveCounters(tx, writing.flatMap(countsIn))
        await saveAhead(tx, writing)
      })
    } catch (error) {
      for (const { subject, account, minutes, block } of writing) {
        account.minutes = new Set([...minutes, ...account.minutes])
        if (!wanting.has(subject)) wanting.set(subject, block)
      }
      throw error
    }
    isHeldUp = false
    for (const { subject, account, admitted, ahead } of writing) {
      account.covered = admitted + ahead
      if (ahead === 0 && account.admitted === admitted) accounts.delete(subject)
    }
  })

  function begin([subject, block]: [string, number]): Writing {
    const account = getOrCreate(accounts, subject, openAccount)
    const { admitted, minutes } = account
    account.minutes = new Set()
    // What is given back may not be used while it is being written; what was promised before stays so.
    if (block === 0) account.covered = admitted
    return { subject, account, admitted, minutes, block, ahead: Math.max(block, account.covered - admitted) }
  }

  function countsIn({ subject, minutes }: Writing) {
    const meter = memory.meters.of(subject)
    const days = new Set([...minutes].map((minute) => windowStart(minute, dayMs)))
    const rows = (period: 'minute' | 'day', starts: ReadonlySet<number>) =>
      [...starts].map((start) => ({ subject, period, starts_at: start, used: meter[period].at(start) }))
    return [...rows('minute', minutes), ...rows('day', days)]
  }

  /** Calls that come before the next write begins share it. */
  function writeSoon(): Promise<void> {
    soon ??= write()
    return soon
  }

  /** Where nothing can be written for a while, reading goes on; the next flush tries again and tells of its failure. */
  async function whenCovered(account: Account, admission: Admission): Promise<Admission> {
    const number = account.admitted
    while (account.covered < number && !isHeldUp) {
      const isDone = writeSoon().then(
        () => true,
        () => false,
      )
      isHeldUp = !(await Promise.race([isDone, pause(heldUpMs, false)]))
    }
    return admission
  }

  return {
    used: memory.used,
    known: memory.known,
    expected: memory.expected,
    forgetStrikes: memory.forgetStrikes,

    admit(subject, limits, now, cost = 1) {
      const admission = memory.admit(subject, limits, now, cost)
      // Addresses are many and come and go: they are not worth a write.
      if (!admission.admitted || isAddress(subject)) return admission
      const account = getOrCreate(accounts, subject, openAccount)
      account.admitted += cost
      account.minutes.add(windowStart(now, minuteMs))
      const block = blockOf(limits)
      if (account.covered - account.admitted < block / 2) wanting.set(subject, block)
      return account.admitted <= account.covered ? admission : whenCovered(account, admission)
    },

    flush: write,

    async forgetIdle(settled) {
      for (const subject of accounts.keys()) {
        if (memory.meters.of(subject).minute.last <= settled - idleMs) wanting.set(subject, 0)
      }
      await memory.forgetIdle(settled)
      await write()
    },

    async close() {
      for (const subject of accounts.keys()) wanting.set(subject, 0)
      await write()
    },
  }
}

interface Writing {
  readonly subject: string
  readonly account: Account
  readonly admitted: number
  readonly minutes: ReadonlySet<number>
  readonly block: number
  readonly ahead: number
}
