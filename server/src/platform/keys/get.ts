import { ApiError } from '../api/errors.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { Id } from '../lib/int64.ts'
import { keyErrors } from './operations.ts'
import { findKey, type KeyRow, lockKey } from './store.ts'

// Like the functions of the store, but a missing key is an error.

export async function getKey(db: Queryable, id: Id, now: number): Promise<KeyRow> {
  return (await findKey(db, id, now)) ?? throwNotFound(id)
}

export async function lockExistingKey(tx: Transaction, id: Id, now: number): Promise<KeyRow> {
  return (await lockKey(tx, id, now)) ?? throwNotFound(id)
}

function throwNotFound(id: Id): never {
  throw new ApiError(keyErrors.key_not_found, `There is no key ${id}.`)
}
