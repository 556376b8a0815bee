import { ApiError } from '../api/errors.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { findKey, type KeyRow, lockKey } from './store.ts'

// A key that has to be there.

export async function foundKey(db: Queryable, id: Id, now: number): Promise<KeyRow> {
  return (await findKey(db, id, now)) ?? notThere(id)
}

export async function lockedKey(tx: Transaction, id: Id, now: number): Promise<KeyRow> {
  return (await lockKey(tx, id, now)) ?? notThere(id)
}

function notThere(id: Id): never {
  throw new ApiError('key_not_found', `There is no key ${id}.`)
}
