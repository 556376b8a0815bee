import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import type { Awaitable } from '../lib/awaitable.ts'

/** Nodes that hear this forget what they remember of the key. */
export const keyChanged = 'key_changed'

/** Nodes that hear this forget the key's strikes. */
export const banLifted = 'ban_lifted'

/** Tells every node that a key has changed, and leaves a note for those that do not hear it. */
export function announceChange(tx: Transaction, keyId: number, now: number): void {
  tx.send('INSERT INTO key_changes (key_id, changed_at) VALUES ($1, $2)', [keyId, now])
  tx.notify(keyChanged, String(keyId))
}

export const findChanges = (db: Queryable, since: number): Awaitable<{ id: number; key_id: number }[]> =>
  db.query('SELECT id, key_id FROM key_changes WHERE changed_at > $1', [since])

export const forgetKeyChanges = (db: Database, before: number): Promise<void> =>
  forget(db, { table: 'key_changes', key: 'id', condition: 'changed_at < $1', params: [before] })
