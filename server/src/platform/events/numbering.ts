import type { Queryable, Transaction } from '../db/database.ts'
import type { Position } from './position.ts'

// A transaction's number in the log is the database's transaction number plus a base. When the database continues from an earlier
// state (a failover or a restore that lost the end of the log), the base rises by more than was lost. So new events always come
// after every event that readers have seen.

/** More transactions than any failover or restore loses. Below 2^53 there is room for thousands of steps. */
const step = 2 ** 40
/** More than the number of events recorded in a millisecond. */
const numbersPerMs = 1024

/** The first number of a database without timelines that starts now. */
export const positionAt = (now: number): number => now * numbersPerMs

const timelineOf = ({ dialect }: Queryable): string => dialect.timeline ?? '0'

/** Numbers below this belong to an earlier timeline. */
const base = (db: Queryable): string =>
  `(SELECT coalesce(max(base - timeline * ${step}), 0) + ${timelineOf(db)} * ${step} FROM event_log WHERE one = 1)`

/** SQL for the `tx` of an event recorded now. */
export const currentPosition = (db: Queryable): string => `${base(db)} + ${db.dialect.transactionNumber('events')}`

/** The first `tx` that readers may not see yet: a running transaction could still commit an event before it. Undefined: all are visible. */
export const firstInvisible = (db: Queryable): string | undefined =>
  db.dialect.oldestUnderWay && `${base(db)} + ${db.dialect.oldestUnderWay}`

/** Condition that every reader must use: skips an event if a running transaction could still commit another one before it. */
export function finalFilter(db: Queryable): string {
  const end = firstInvisible(db)
  return end === undefined ? 'TRUE' : `tx < ${end}`
}

/** SQL for the transactions that have committed by now, for `hadCommitted`. NULL if the end of the log already tells that. */
export const committedNow = (db: Queryable): string =>
  db.dialect.committed === undefined ? 'NULL' : `${base(db)} || ':' || ${db.dialect.committed}`

/** Whether the transaction of an event had committed at the time of `committedNow`. */
export function hadCommitted(committed: string | null, { tx }: Pick<Position, 'tx'>): boolean {
  if (committed === null) return false
  const [base, oldest, next, underWay = ''] = committed.split(':')
  const number = tx - Number(base)
  return number < Number(oldest) || (number < Number(next) && !underWay.split(',').includes(String(number)))
}

/** The first number of the current timeline. */
export async function findTimelineStart(db: Queryable): Promise<number> {
  const [row] = await db.query<{ start: number }>(`SELECT ${base(db)} AS start`)
  return row?.start ?? 0
}

/**
 * Run at startup: raises the base if that of a copied or restored database is too low. A database without timelines cannot tell
 * whether it was restored, so there every start raises the base to the current time.
 */
export async function continuePositions(tx: Transaction, now: number): Promise<void> {
  const onConflict = 'ON CONFLICT (one) DO UPDATE SET base = excluded.base, timeline = excluded.timeline'
  if (tx.dialect.timeline === undefined) {
    await tx.query(
      `INSERT INTO event_log (one, base, timeline, pruned_tx, pruned_id) VALUES (1, $1, 0, 0, 0)
       ${onConflict} WHERE event_log.base < excluded.base`,
      [positionAt(now)],
    )
  }
  await tx.query(
    `INSERT INTO event_log (one, base, timeline, pruned_tx, pruned_id)
     SELECT 1, last + ${step}, ${timelineOf(tx)}, 0, 0 FROM (
       SELECT max(tx) AS last FROM (SELECT max(tx) AS tx FROM events UNION ALL SELECT pruned_tx FROM event_log WHERE one = 1) AS ends
     ) AS log WHERE last > ${currentPosition(tx)} ${onConflict}`,
  )
}
