import type { Database, Transaction } from '../db/database.ts'
import { isFinal, prunedUpTo } from './log.ts'
import type { Place } from './place.ts'

const rowsAtOnce = 1_000

/** Takes what happened before a time out of the log, from its beginning on, in portions with a commit each. */
export async function pruneEvents(db: Database, before: number): Promise<void> {
  while (await db.transaction((tx) => prunePortion(tx, before)));
}

/** Whether there may be more. The log says how far it was pruned: nobody who reads on from there misses anything unawares. */
async function prunePortion(tx: Transaction, before: number): Promise<boolean> {
  // Nodes that prune together would wait for each other.
  if (!(await tx.tryLock('prune events'))) return false
  const from = await prunedUpTo(tx)
  // From where the last portion ended: the index still has what was deleted before it, until the database has tidied up.
  const oldest = await tx.query<Place & { at: number }>(
    `SELECT tx, id, at FROM events WHERE (tx, id) > ($1, $2) AND ${isFinal(tx)} ORDER BY tx, id LIMIT ${rowsAtOnce}`,
    [from.tx, from.id],
  )
  const kept = oldest.findIndex(({ at }) => at >= before)
  const last = oldest.at(kept < 0 ? -1 : kept - 1)
  if (!last || kept === 0) return false
  tx.send('DELETE FROM events WHERE (tx, id) > ($1, $2) AND (tx, id) <= ($3, $4)', [from.tx, from.id, last.tx, last.id])
  tx.send(
    `INSERT INTO event_log (one, base, pruned_tx, pruned_id) VALUES (1, 0, $1, $2)
     ON CONFLICT (one) DO UPDATE SET pruned_tx = excluded.pruned_tx, pruned_id = excluded.pruned_id`,
    [last.tx, last.id],
  )
  return oldest.length === rowsAtOnce
}
