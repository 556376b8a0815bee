import type { Scope } from '../api/operation.ts'
import { ascending, type Clause, descending, type Keyset } from '../db/clauses.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { byHundreds } from '../db/many.ts'
import { findPage } from '../db/pages/find-page.ts'
import type { Found, List } from '../db/pages/list.ts'
import { type Awaitable, firstOf } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'
import type { Limits } from '../lib/limits.ts'
import { minuteMs } from '../lib/time.ts'
import type { Plan } from './plans.ts'

export interface ApiKeyRow {
  id: number
  name: string
  /** The first characters of the current secret, for display. */
  prefix: string
  plan: Plan
  per_minute: number
  per_day: number
  /** Space-separated. */
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  revoked_at: number | null
}

export const keySorts = { id: ascending({ id: 'integer' }), '-id': descending({ id: 'integer' }) }

/** The active ban of a key; null if there is none. */
export interface BanColumns {
  ban_until: number | null
  ban_level: number | null
}

export interface Ban {
  readonly until: number
  readonly level: number
}

/** How far nodes' clocks may differ. A ban that starts further in the future was set by a wrong clock and is ignored. */
export const clocksApartMs = minuteMs

/** A key with its active ban, if any. */
export type KeyRow = ApiKeyRow & BanColumns

/** The columns to select from api_keys; `now` is the query parameter for the current time. */
function columns(now: string): string {
  const own = 'id name prefix plan per_minute per_day scopes created_at expires_at last_used_at revoked_at'.split(' ')
  const ban = (column: string) =>
    `(SELECT ${column} FROM bans WHERE key_id = api_keys.id AND until_at > ${now} AND started_at <= ${now} + ${clocksApartMs} AND lifted_at IS NULL ORDER BY bans.id DESC LIMIT 1)`
  return [
    ...own.map((column) => `api_keys.${column}`),
    `${ban('until_at')} AS ban_until`,
    `${ban('level')} AS ban_level`,
  ].join(', ')
}

/** Keys whose name contains `q`, ignoring the case of A to Z. For a parameter, `lower` would follow the locale of the database. */
const nameFilter = ({ dialect }: Queryable, q: string | undefined): Clause | undefined =>
  q === undefined ? undefined : [dialect.holds('lower(name)', '?'), lowerAscii(q)]

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export function findKeys(
  db: Queryable,
  { q, revoked = false }: { q?: string | undefined; revoked?: boolean | undefined },
  keyset: Keyset,
  now: number,
): Promise<Found<KeyRow>> {
  const select = `SELECT ${columns('$1')} FROM api_keys`
  // Few of many keys may be revoked, so the search for them is bounded.
  const state: Pick<List, 'where' | 'filters'> = revoked
    ? { filters: [['revoked_at IS NOT NULL'], nameFilter(db, q)] }
    : { where: [['revoked_at IS NULL']], filters: [nameFilter(db, q)] }
  return findPage(db, { select, params: [now], ...state }, keyset)
}

/** The keys that are banned now, the latest ban first. */
export const findBannedKeys = (db: Queryable, now: number, max: number): Awaitable<KeyRow[]> =>
  db.query(
    `SELECT * FROM (SELECT ${columns('$1')} FROM api_keys WHERE revoked_at IS NULL AND id IN (
       SELECT key_id FROM bans WHERE lifted_at IS NULL AND until_at > $1)) AS found
     WHERE ban_until IS NOT NULL ORDER BY ban_until DESC, id DESC LIMIT ${max}`,
    [now],
  )

/** A key, even after it was revoked. */
export const findKey = (db: Queryable, id: Id, now: number): Awaitable<KeyRow | undefined> =>
  firstOf(db.query(`SELECT ${columns('$2')} FROM api_keys WHERE id = $1`, [id, now]))

/** Locks a key that is not revoked. Two statements: a single one that waited for the lock would still see the old bans. */
export async function lockKey(tx: Transaction, id: Id, now: number): Promise<KeyRow | undefined> {
  await tx.query(`SELECT id FROM api_keys WHERE id = $1 ${tx.dialect.forUpdate}`, [id])
  const key = await findKey(tx, id, now)
  return key?.revoked_at === null ? key : undefined
}

/** The key with this secret, unless it was revoked. */
export async function findKeyBySecret(db: Queryable, hash: string, now: number) {
  const [row] = await db.query<KeyRow & { secret_expires_at: number | null }>(
    `SELECT ${columns('$2')}, s.expires_at AS secret_expires_at
     FROM api_key_secrets s JOIN api_keys ON api_keys.id = s.key_id WHERE s.hash = $1 AND revoked_at IS NULL`,
    [hash, now],
  )
  return row
}

export interface KeyFields {
  readonly name: string
  readonly plan: Plan
  readonly limits: Limits
  readonly scopes: readonly Scope[]
  readonly expiresAt: number | null
}

const managesKeys = (scopes: readonly Scope[]) => (scopes.includes('keys:manage') ? 1 : 0)

export async function insertKey(tx: Transaction, fields: KeyFields, prefix: string, now: number): Promise<KeyRow> {
  const { name, plan, limits, scopes, expiresAt } = fields
  const [row] = await tx.query<KeyRow>(
    `INSERT INTO api_keys (name, prefix, plan, per_minute, per_day, scopes, manages_keys, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${columns('$8')}`,
    [name, prefix, plan, limits.perMinute, limits.perDay, scopes.join(' '), managesKeys(scopes), now, expiresAt],
  )
  return row as KeyRow
}

export async function updateKey(tx: Transaction, id: number, fields: KeyFields, now: number): Promise<KeyRow> {
  const { name, plan, limits, scopes, expiresAt } = fields
  const [row] = await tx.query<KeyRow>(
    `UPDATE api_keys SET name = $2, plan = $3, per_minute = $4, per_day = $5, scopes = $6, manages_keys = $7, expires_at = $8
     WHERE id = $1 RETURNING ${columns('$9')}`,
    [id, name, plan, limits.perMinute, limits.perDay, scopes.join(' '), managesKeys(scopes), expiresAt, now],
  )
  return row as KeyRow
}

export async function setPrefix(tx: Transaction, id: number, prefix: string, now: number): Promise<KeyRow> {
  const statement = `UPDATE api_keys SET prefix = $2 WHERE id = $1 RETURNING ${columns('$3')}`
  const [row] = await tx.query<KeyRow>(statement, [id, prefix, now])
  return row as KeyRow
}

export async function setRevoked(tx: Transaction, id: number, now: number): Promise<void> {
  await tx.query('UPDATE api_keys SET revoked_at = $2 WHERE id = $1', [id, now])
}

/** The keys that manage keys, with their expiry times. */
export type Managers = readonly Pick<ApiKeyRow, 'id' | 'expires_at'>[]

/** Locked before any other key, so two concurrent changes cannot each rely on the other's key to remain. */
export function lockManagers(tx: Queryable): Awaitable<Managers> {
  return tx.query(
    `SELECT id, expires_at FROM api_keys WHERE manages_keys = 1 AND revoked_at IS NULL ORDER BY id ${tx.dialect.forUpdate}`,
  )
}

export async function insertSecret(tx: Transaction, keyId: number, hash: string): Promise<void> {
  await tx.query('INSERT INTO api_key_secrets (hash, key_id) VALUES ($1, $2)', [hash, keyId])
}

/** Sets the expiry of a key's secrets, except those that expire earlier. */
export async function endSecrets(tx: Transaction, keyId: number, endsAt: number): Promise<void> {
  await tx.query(
    'UPDATE api_key_secrets SET expires_at = $2 WHERE key_id = $1 AND (expires_at IS NULL OR expires_at > $2)',
    [keyId, endsAt],
  )
}

/** Deletes rotated secrets whose grace period is over. */
export const forgetOldSecrets = (db: Database, now: number): Promise<void> =>
  forget(db, { table: 'api_key_secrets', key: 'hash', isOutdated: (time) => `expires_at <= ${time}` }, now)

/** The latest ban of a key, active or not. */
export async function findLastBan(db: Queryable, keyId: number) {
  const [row] = await db.query<{ level: number; until_at: number; lifted_at: number | null }>(
    'SELECT level, until_at, lifted_at FROM bans WHERE key_id = $1 ORDER BY id DESC LIMIT 1',
    [keyId],
  )
  return row
}

export async function insertBan(tx: Transaction, keyId: number, { level, until }: Ban, now: number): Promise<void> {
  await tx.query('INSERT INTO bans (key_id, level, started_at, until_at) VALUES ($1, $2, $3, $4)', [
    keyId,
    level,
    now,
    until,
  ])
}

export async function endBan(tx: Transaction, keyId: number, now: number): Promise<void> {
  await tx.query('UPDATE bans SET lifted_at = $2 WHERE key_id = $1 AND lifted_at IS NULL AND until_at > $2', [
    keyId,
    now,
  ])
}

/** The precision of `last_used_at`: a write per request would cost more than the request. */
export const lastUsedStepMs = minuteMs

/**
 * Updates `last_used_at`, unless a node did so recently, and returns the keys updated. Skips keys locked by another transaction: this
 * update can wait, and must not make one node wait for another.
 */
export async function setLastUsed(tx: Transaction, keyIds: readonly number[], at: number): Promise<number[]> {
  const updated: number[] = []
  for (const batch of byHundreds(keyIds)) {
    const ids = batch.map((_, index) => `$${index + 3}`).join(', ')
    const rows = await tx.query<{ id: number }>(
      `UPDATE api_keys SET last_used_at = $1 WHERE id IN (SELECT id FROM api_keys
         WHERE id IN (${ids}) AND (last_used_at IS NULL OR last_used_at <= $2) ORDER BY id ${tx.dialect.forUpdateSkippingLocked})
       RETURNING id`,
      [at, at - lastUsedStepMs, ...batch],
    )
    updated.push(...rows.map(({ id }) => id))
  }
  return updated
}
