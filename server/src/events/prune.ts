import { where } from '../db/clauses.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { behind, prunedUpTo } from './log.ts'
import { isFinal } from './numbering.ts'
import type { Place } from './place.ts'

const rowsAtOnce = 1_000

interface Limits {
  readonly now: number
  /** What happened before this time is not kept. */
  readonly before: number
}

type Dated = Place & { readonly at: number }

/** Takes what happened before a time out of the log, from its beginning on, in portions with a commit each. */
export async function pruneEvents(db: Database, limits: Limits): Promise<void> {
  while (await db.transaction((tx) => prunePortion(tx, limits)));
}

/**
 * Whether there may be more. The log says how far it was pruned, so that readers who go on from before that are told. An event that
 * an older one follows is as old as that, whatever its date: a wrong clock of one node must not keep the log for ever.
 */
async function prunePortion(tx: Transaction, given: Limits): Promise<boolean> {
  // Nodes that prune together would wait for each other.
  if (!(await tx.tryLock('prune events'))) return false
  const limits = await noLaterThanDatabase(tx, given)
  const from = await prunedUpTo(tx)
  // From where the last portion ended: the index still has what was deleted before it, until the database has tidied up.
  const oldest = await tx.query<Dated>(behind(tx, 'tx, id, at', rowsAtOnce), [from.tx, from.id])
  const old = (await isFollowedByOld(tx, oldest, limits)) ? oldest : upToLastOld(oldest, limits)
  const last = old.at(-1)
  if (!last) return false
  const { where: these, params } = where([['id IN (?)', old.map(({ id }) => id)]])
  tx.send(`DELETE FROM events ${these}`, params)
  tx.send(
    `INSERT INTO event_log (one, base, pruned_tx, pruned_id) VALUES (1, 0, $1, $2)
     ON CONFLICT (one) DO UPDATE SET pruned_tx = excluded.pruned_tx, pruned_id = excluded.pruned_id`,
    [last.tx, last.id],
  )
  return oldest.length === rowsAtOnce
}

/** By the database's own time where that is earlier: what is old by a wrong clock alone is kept. */
async function noLaterThanDatabase({ dialect, query }: Transaction, { now, before }: Limits): Promise<Limits> {
  const [row] = await query<{ now: number }>(`SELECT ${dialect.noLaterThanNow('$1')} AS now`, [now])
  const earlier = row?.now ?? now
  return { now: earlier, before: before - (now - earlier) }
}

const upToLastOld = (rows: readonly Dated[], { before }: Limits): readonly Dated[] =>
  rows.slice(0, rows.findLastIndex(({ at }) => at < before) + 1)

/** Whether a whole portion that ends in the future is followed by something old: then more were dated wrongly than a portion has. */
async function isFollowedByOld(db: Queryable, rows: readonly Dated[], { now, before }: Limits): Promise<boolean> {
  const last = rows.at(-1)
  if (!last || rows.length < rowsAtOnce || last.at <= now) return false
  const [next] = await db.query<Dated>(
    `SELECT at FROM events WHERE (tx, id) > ($1, $2) AND at <= $3 AND ${isFinal(db)} ORDER BY tx, id LIMIT 1`,
    [last.tx, last.id, now],
  )
  return next !== undefined && next.at < before
}
