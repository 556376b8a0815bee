import type { Queryable, Transaction } from '../db/database.ts'

// A transaction's number in the log is the database's own number for it plus a base. The base rises whenever the database goes on
// from an earlier state, further than it can have fallen back: what is recorded after a failover or a restore that lost the end of
// the log comes behind all that readers have ever seen.

/** More than the transactions that any failover or restore loses. Leaves room for thousands of them below 2^53. */
const step = 2 ** 40
/** More than the events that are recorded in a millisecond. */
const numbersPerMs = 1024

const timelineOf = ({ dialect }: Queryable): string => dialect.timeline ?? '0'

/** The number below which everything is from an earlier timeline. */
const base = (db: Queryable): string =>
  `(SELECT coalesce(max(base - timeline * ${step}), 0) + ${timelineOf(db)} * ${step} FROM event_log WHERE one = 1)`

/** The `tx` of what is recorded now. */
export const placeNow = (db: Queryable): string => `${base(db)} + ${db.dialect.transactionNumber('events')}`

/** What every reader has to ask for: that no transaction under way can still put something before what it reads. */
export const isFinal = (db: Queryable): string =>
  db.dialect.oldestUnderWay === undefined ? 'TRUE' : `tx < ${base(db)} + ${db.dialect.oldestUnderWay}`

/** The number with which the timeline of today begins. */
export async function startOfTimeline(db: Queryable): Promise<number> {
  const [row] = await db.query<{ start: number }>(`SELECT ${base(db)} AS start`)
  return row?.start ?? 0
}

/**
 * At the start: raises the base where that of a copied or restored database is too low. A database without timelines cannot tell
 * whether it was restored, so there it rises with the time of every start.
 */
export async function continuePlaces(tx: Transaction, now: number): Promise<void> {
  const raised = 'ON CONFLICT (one) DO UPDATE SET base = excluded.base, timeline = excluded.timeline'
  if (tx.dialect.timeline === undefined) {
    await tx.query(
      `INSERT INTO event_log (one, base, timeline, pruned_tx, pruned_id) VALUES (1, $1, 0, 0, 0)
       ${raised} WHERE event_log.base < excluded.base`,
      [now * numbersPerMs],
    )
  }
  await tx.query(
    `INSERT INTO event_log (one, base, timeline, pruned_tx, pruned_id)
     SELECT 1, last + ${step}, ${timelineOf(tx)}, 0, 0 FROM (
       SELECT max(tx) AS last FROM (SELECT max(tx) AS tx FROM events UNION ALL SELECT pruned_tx FROM event_log WHERE one = 1) AS ends
     ) AS log WHERE last > ${placeNow(tx)} ${raised}`,
  )
}
