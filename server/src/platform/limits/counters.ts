import type { Database, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { dayMs, hourMs, minuteMs } from '../lib/time.ts'
import { strikeMinutes, type WindowName } from './limiter.ts'

export interface StoredCounter {
  readonly subject: string
  /** `…_rejected`: `used` is when that window first rejected a call. `…_graced`: how many it rejected without a strike. */
  readonly period: WindowName | `${WindowName}_rejected` | `${WindowName}_graced` | 'strike'
  readonly starts_at: number
  readonly used: number
}

/** How many requests of a subject may have been admitted beyond the stored counts, in any window. */
export interface Reservation {
  readonly subject: string
  readonly reserved: number
}

/** The counters of windows that a clock may still step back into, and of later windows, oldest first. */
export function loadCounters(db: Database, now: number): Awaitable<(StoredCounter & { period: WindowName })[]> {
  return db.query(
    `SELECT subject, period, starts_at, used FROM rate_counters
     WHERE (period = 'minute' AND starts_at >= $1) OR period = 'day' ORDER BY starts_at`,
    [now - strikeMinutes * minuteMs],
  )
}

export const loadReservations = (db: Database): Awaitable<Reservation[]> =>
  db.query("SELECT subject, used AS reserved FROM rate_counters WHERE period = 'ahead' AND used > 0")

/** Counts only grow: after a clock steps back, a window must not look emptier than it was. */
export async function saveCounters(tx: Transaction, counters: readonly StoredCounter[]): Promise<void> {
  for (const rows of byHundreds(counters)) {
    await tx.query(
      `INSERT INTO rate_counters (subject, period, starts_at, used) VALUES ${placeholders(rows.length, 4)}
       ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = excluded.used
       WHERE rate_counters.used < excluded.used`,
      rows.flatMap(({ subject, period, starts_at, used }) => [subject, period, starts_at, used]),
    )
  }
}

export async function saveReservations(tx: Transaction, all: readonly Reservation[]): Promise<void> {
  for (const rows of byHundreds(all)) {
    await tx.query(
      `INSERT INTO rate_counters (subject, period, starts_at, used) VALUES ${placeholders(rows.length, 4)}
       ON CONFLICT (subject, period, starts_at) DO UPDATE SET used = excluded.used`,
      rows.flatMap(({ subject, reserved }) => [subject, 'ahead', 0, reserved]),
    )
  }
}

/** Deletes windows that ended so long ago that no clock will step back into them. */
export async function forgetOldCounters(db: Database, now: number): Promise<void> {
  const conditions = [
    (time: string) =>
      `period IN ('minute', 'minute_rejected', 'minute_graced', 'strike') AND starts_at < ${time} - ${hourMs}`,
    (time: string) => `period IN ('day', 'day_rejected', 'day_graced') AND starts_at < ${time} - ${3 * dayMs}`,
    (time: string) => `period = 'ahead' AND used = 0 AND starts_at < ${time}`,
  ]
  for (const isOutdated of conditions) {
    await forget(db, { table: 'rate_counters', key: 'subject, period, starts_at', isOutdated }, now)
  }
}
