import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { minuteMs } from '../lib/time.ts'

const table = 'key_changes'

/** Channel: nodes drop the key from their cache. */
export const keyChanged = 'key_changed'

/** Channel: nodes reset the key's strikes. */
export const banLifted = 'ban_lifted'

/** Notifies every node that a key changed, and stores the change for nodes that miss the notification. */
export function announceChange(tx: Transaction, keyId: number, now: number): void {
  tx.send(`INSERT INTO key_changes (key_id, changed_at, tx) VALUES ($1, $2, ${tx.dialect.transactionNumber(table)})`, [
    keyId,
    now,
  ])
  tx.notify(keyChanged, String(keyId))
}

export interface Changes {
  /** Key ids by change id. Changes of transactions that were running at the last check are found again. */
  readonly found: ReadonlyMap<number, number>
  /** Where the next check starts: no transaction with a lower number can still commit a change. */
  readonly position: number
}

const currentPositionSql = ({ dialect }: Queryable): string =>
  dialect.oldestUnderWay ?? dialect.transactionNumber(table)

/** Keys changed by transactions from a position on. */
export async function findChanges(db: Queryable, from: number): Promise<Changes> {
  const rows = await db.query<{ position: number; id: number | null; key_id: number }>(
    `SELECT position, id, key_id FROM (SELECT ${currentPositionSql(db)} AS position) AS latest
     LEFT JOIN ${table} ON tx >= $1`,
    [from],
  )
  const found = new Map(rows.flatMap(({ id, key_id }) => (id === null ? [] : [[id, key_id] as const])))
  return { found, position: rows[0]?.position ?? from }
}

/** A node that has not checked for this long clears its cache, so no node needs older changes. */
export const changesKeptMs = minuteMs

export const forgetKeyChanges = (db: Database, now: number): Promise<void> =>
  forget(db, { table, key: 'id', isOutdated: (time) => `changed_at < ${time} - ${2 * changesKeptMs}` }, now)
