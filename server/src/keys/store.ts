import type { Scope } from '../api/scopes.ts'
import { ascending, type Keyset, pageQuery } from '../db/clauses.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { byHundreds } from '../db/many.ts'
import type { ApiKeyRow, BanColumns, Plan } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import type { Limits } from '../limits/windows.ts'

export const keySorts = { id: ascending('id') }

/** Nodes that hear this forget what they remember of the key. */
export const keyChanged = 'key_changed'

/** Tells every node that a key has changed, and leaves a note for those that do not hear it. */
export async function announceKeyChange(tx: Transaction, keyId: number, now: number): Promise<void> {
  await tx.query('INSERT INTO key_changes (key_id, changed_at) VALUES ($1, $2)', [keyId, now])
  await tx.notify(keyChanged, String(keyId))
}

export async function findChangedKeys(db: Queryable, since: number): Promise<Set<number>> {
  const rows = await db.query<{ key_id: number }>('SELECT DISTINCT key_id FROM key_changes WHERE changed_at > $1', [
    since,
  ])
  return new Set(rows.map((row) => row.key_id))
}

export const forgetKeyChanges = (db: Database, before: number): Promise<void> =>
  forget(db, { table: 'key_changes', key: 'id', condition: 'changed_at < $1', params: [before] })

const columns = 'id, name, prefix, plan, per_minute, per_day, scopes, created_at, expires_at, last_used_at'

/** How far the clocks of nodes may be apart. A ban that begins later than that was given by a clock that was wrong. */
export const clocksApartMs = 60_000

/** The ban in force at `$n`, as columns of a query on api_keys. */
const ban = (now: string) => `
  (SELECT until_at FROM bans WHERE key_id = api_keys.id AND until_at > ${now} AND started_at <= ${now} + ${clocksApartMs} AND lifted_at IS NULL ORDER BY bans.id DESC LIMIT 1) AS ban_until,
  (SELECT level FROM bans WHERE key_id = api_keys.id AND until_at > ${now} AND started_at <= ${now} + ${clocksApartMs} AND lifted_at IS NULL ORDER BY bans.id DESC LIMIT 1) AS ban_level`

export type KeyWithBan = ApiKeyRow & BanColumns

export function findKeys(db: Queryable, keyset: Keyset, now: number): Promise<KeyWithBan[]> {
  const select = `SELECT ${columns}, ${ban('$1')} FROM api_keys`
  return db.query(...pageQuery({ select, params: [now], where: [['revoked_at IS NULL']], keyset }))
}

export async function findKey(db: Queryable, id: Id, now: number): Promise<KeyWithBan | undefined> {
  const [row] = await db.query<KeyWithBan>(
    `SELECT ${columns}, ${ban('$2')} FROM api_keys WHERE id = $1 AND revoked_at IS NULL`,
    [id, now],
  )
  return row
}

export async function lockKey(tx: Transaction, id: Id, now: number): Promise<KeyWithBan | undefined> {
  await tx.query(`SELECT id FROM api_keys WHERE id = $1 ${tx.dialect.forUpdate}`, [id])
  return findKey(tx, id, now)
}

/** The key with this secret, when it may still be used. */
export async function findKeyBySecret(db: Queryable, hash: string, now: number) {
  const [row] = await db.query<KeyWithBan & { secret_expires_at: number | null }>(
    `SELECT ${columns
      .split(', ')
      .map((column) => `api_keys.${column}`)
      .join(', ')}, s.expires_at AS secret_expires_at, ${ban('$2')}
     FROM api_key_secrets s JOIN api_keys ON api_keys.id = s.key_id WHERE s.hash = $1 AND revoked_at IS NULL`,
    [hash, now],
  )
  return row
}

export interface KeyFields {
  name: string
  plan: Plan
  limits: Limits
  scopes: Scope[]
  expiresAt: number | null
}

const managesKeys = (scopes: Scope[]) => (scopes.includes('keys:manage') ? 1 : 0)

export async function insertKey(
  tx: Transaction,
  fields: KeyFields & { prefix: string; now: number },
): Promise<ApiKeyRow> {
  const { name, plan, limits, scopes, expiresAt, prefix, now } = fields
  const [row] = await tx.query<ApiKeyRow>(
    `INSERT INTO api_keys (name, prefix, plan, per_minute, per_day, scopes, manages_keys, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${columns}`,
    [name, prefix, plan, limits.perMinute, limits.perDay, scopes.join(' '), managesKeys(scopes), now, expiresAt],
  )
  return row as ApiKeyRow
}

export async function updateKey(tx: Transaction, id: number, fields: KeyFields, now: number): Promise<void> {
  const { name, plan, limits, scopes, expiresAt } = fields
  await tx.query(
    `UPDATE api_keys SET name = $2, plan = $3, per_minute = $4, per_day = $5, scopes = $6, manages_keys = $7, expires_at = $8
     WHERE id = $1`,
    [id, name, plan, limits.perMinute, limits.perDay, scopes.join(' '), managesKeys(scopes), expiresAt],
  )
  await announceKeyChange(tx, id, now)
}

export async function insertSecret(tx: Transaction, keyId: number, hash: string): Promise<void> {
  await tx.query('INSERT INTO api_key_secrets (hash, key_id) VALUES ($1, $2)', [hash, keyId])
}

/** Gives the secrets in use an end, and the key a new one. */
export async function replaceSecret(
  tx: Transaction,
  keyId: number,
  { hash, prefix, oldEndsAt, now }: { hash: string; prefix: string; oldEndsAt: number; now: number },
): Promise<void> {
  await tx.query(
    'UPDATE api_key_secrets SET expires_at = $2 WHERE key_id = $1 AND (expires_at IS NULL OR expires_at > $2)',
    [keyId, oldEndsAt],
  )
  await insertSecret(tx, keyId, hash)
  await tx.query('UPDATE api_keys SET prefix = $2 WHERE id = $1', [keyId, prefix])
  await announceKeyChange(tx, keyId, now)
}

export async function revokeKey(tx: Transaction, id: number, now: number): Promise<void> {
  await tx.query('UPDATE api_keys SET revoked_at = $2 WHERE id = $1', [id, now])
  await announceKeyChange(tx, id, now)
}

/** Secrets that were rotated away and whose grace time is over. */
export const forgetOldSecrets = (db: Database, now: number): Promise<void> =>
  forget(db, { table: 'api_key_secrets', key: 'hash', condition: 'expires_at <= $1', params: [now] })

/** Locks every key that manages keys, so that two of them cannot each count on the other to stay. When the last one ends. */
export async function lockManagingKeys(tx: Transaction): Promise<number> {
  const rows = await tx.query<{ expires_at: number | null }>(
    `SELECT expires_at FROM api_keys WHERE manages_keys = 1 AND revoked_at IS NULL ORDER BY id ${tx.dialect.forUpdate}`,
  )
  return Math.max(0, ...rows.map(({ expires_at }) => expires_at ?? Number.POSITIVE_INFINITY))
}

/** Notes that keys were used, each at most once a minute however many nodes it calls. Those for which it was noted. */
export async function setLastUsed(tx: Transaction, keyIds: readonly number[], at: number): Promise<number[]> {
  const noted: number[] = []
  for (const some of byHundreds(keyIds)) {
    const ids = some.map((_, index) => `$${index + 2}`).join(', ')
    const rows = await tx.query<{ id: number }>(
      `UPDATE api_keys SET last_used_at = $1
       WHERE id IN (${ids}) AND (last_used_at IS NULL OR last_used_at + 60000 <= $1) RETURNING id`,
      [at, ...some],
    )
    noted.push(...rows.map(({ id }) => id))
  }
  return noted
}
