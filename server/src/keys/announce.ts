import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { minuteMs } from '../lib/time.ts'

const table = 'key_changes'

/** Nodes that hear this forget what they remember of the key. */
export const keyChanged = 'key_changed'

/** Nodes that hear this forget the key's strikes. */
export const banLifted = 'ban_lifted'

/** Tells every node that a key has changed, and leaves a note for those that do not hear it. */
export function announceChange(tx: Transaction, keyId: number, now: number): void {
  tx.send(`INSERT INTO key_changes (key_id, changed_at, tx) VALUES ($1, $2, ${tx.dialect.transactionNumber(table)})`, [
    keyId,
    now,
  ])
  tx.notify(keyChanged, String(keyId))
}

export interface Changes {
  /** By id: changes of transactions that were under way at the last look are found again. */
  readonly found: ReadonlyMap<number, number>
  /** Where the next look begins: no transaction with a lower number can still commit a change. */
  readonly position: number
}

const positionNow = ({ dialect }: Queryable): string => dialect.oldestUnderWay ?? dialect.transactionNumber(table)

/** The keys that were changed by transactions from a position on. */
export async function findChanges(db: Queryable, from: number): Promise<Changes> {
  const rows = await db.query<{ position: number; id: number | null; key_id: number }>(
    `SELECT position, id, key_id FROM (SELECT ${positionNow(db)} AS position) AS look
     LEFT JOIN ${table} ON tx >= $1`,
    [from],
  )
  const found = new Map(rows.flatMap(({ id, key_id }) => (id === null ? [] : [[id, key_id] as const])))
  return { found, position: rows[0]?.position ?? from }
}

/** Nodes that have not looked for this long forget all keys, so older changes are of no use. */
export const changesKeptMs = minuteMs

export const forgetKeyChanges = (db: Database, now: number): Promise<void> =>
  forget(db, { table, key: 'id', isOutdated: (time) => `changed_at < ${time} - ${2 * changesKeptMs}` }, now)
