import { where } from '../db/clauses.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { findPrunedPosition, selectAfter } from './log.ts'
import { finalFilter } from './numbering.ts'
import type { Position } from './position.ts'

const batchSize = 1_000

interface PruneTimes {
  readonly now: number
  /** Events before this time are deleted. */
  readonly before: number
}

type DatedPosition = Position & { readonly at: number }

/** Deletes events before a time, oldest first, in batches with one commit each. */
export async function pruneEvents(db: Database, times: PruneTimes): Promise<void> {
  while (await db.transaction((tx) => pruneBatch(tx, times)));
}

/**
 * Returns whether there may be more. Stores how far the log was pruned, so readers that continue from an earlier position get an error.
 * An event followed by an older one counts as just as old: one node's wrong clock must not keep the log forever.
 */
async function pruneBatch(tx: Transaction, given: PruneTimes): Promise<boolean> {
  // Nodes that prune at the same time would block each other.
  if (!(await tx.tryLock('prune events'))) return false
  const times = await noLaterThanDatabase(tx, given)
  const from = await findPrunedPosition(tx)
  // Start where the last batch ended: until a vacuum the index still contains the rows deleted before that.
  const oldest = await tx.query<DatedPosition>(selectAfter(tx, 'tx, id, at', batchSize), [from.tx, from.id])
  const old = (await isFollowedByOld(tx, oldest, times)) ? oldest : upToLastOld(oldest, times)
  const last = old.at(-1)
  if (!last) return false
  const { where: idFilter, params } = where([['id IN (?)', old.map(({ id }) => id)]])
  tx.send(`DELETE FROM events ${idFilter}`, params)
  tx.send(
    `INSERT INTO event_log (one, base, pruned_tx, pruned_id) VALUES (1, 0, $1, $2)
     ON CONFLICT (one) DO UPDATE SET pruned_tx = excluded.pruned_tx, pruned_id = excluded.pruned_id`,
    [last.tx, last.id],
  )
  return oldest.length === batchSize
}

/** Uses the database's time if it is earlier, so a clock that runs ahead deletes nothing too early. */
async function noLaterThanDatabase({ dialect, query }: Transaction, { now, before }: PruneTimes): Promise<PruneTimes> {
  const [row] = await query<{ now: number }>(`SELECT ${dialect.noLaterThanNow('$1')} AS now`, [now])
  const earlier = row?.now ?? now
  return { now: earlier, before: before - (now - earlier) }
}

const upToLastOld = (rows: readonly DatedPosition[], { before }: PruneTimes): readonly DatedPosition[] =>
  rows.slice(0, rows.findLastIndex(({ at }) => at < before) + 1)

/** Whether a full batch that ends in the future is followed by an old event, which means that more than a batch has wrong times. */
async function isFollowedByOld(
  db: Queryable,
  rows: readonly DatedPosition[],
  { now, before }: PruneTimes,
): Promise<boolean> {
  const last = rows.at(-1)
  if (!last || rows.length < batchSize || last.at <= now) return false
  const [next] = await db.query<DatedPosition>(
    `SELECT at FROM events WHERE (tx, id) > ($1, $2) AND at <= $3 AND ${finalFilter(db)} ORDER BY tx, id LIMIT 1`,
    [last.tx, last.id, now],
  )
  return next !== undefined && next.at < before
}
