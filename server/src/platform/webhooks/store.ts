import { ascending, equals, type Keyset, where } from '../db/clauses.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import { findPage } from '../db/pages/find-page.ts'
import type { Found } from '../db/pages/list.ts'
import type { Bit } from '../db/value.ts'
import { committedNow } from '../events/numbering.ts'
import type { Position } from '../events/position.ts'
import { type Awaitable, firstOf } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'

export interface WebhookRow {
  id: number
  key_id: number
  url: string
  /** Event types and patterns, space-separated. */
  events: string
  description: string | null
  active: Bit
  disabled_reason: 'gone' | 'failing' | null
  secret: string
  /** The previous secret, which also signs until `old_secret_until`. */
  old_secret: string | null
  old_secret_until: number | null
  /** The webhook gets the events after this position. */
  start_tx: number
  start_id: number
  /** Which transactions had committed when it was created or activated: it does not get their events. */
  start_committed: string | null
  /** 1 if too many deliveries are pending: its events stay in the log until there is room. */
  held_back: Bit
  /** When it first failed since the last success. */
  failing_since: number | null
  created_at: number
}

export const webhookSorts = { id: ascending({ id: 'integer' }) }

const names =
  'id key_id url events description active disabled_reason secret old_secret old_secret_until start_tx start_id start_committed held_back failing_since created_at'
const columns = names.split(' ').join(', ')
const columnsOf = (table: string) => names.split(' ').map((name) => `${table}.${name}`)

/** The webhooks of one key, or of all keys. */
export const findWebhooks = (db: Queryable, keyId: Id | undefined, keyset: Keyset): Promise<Found<WebhookRow>> =>
  findPage(
    db,
    { select: `SELECT ${columns} FROM webhooks`, where: [keyId === undefined ? undefined : equals('key_id', keyId)] },
    keyset,
  )

/** The webhooks of one key, or of all keys, whose last attempt failed, except those that were deactivated by hand. */
export function findFailing(db: Queryable, keyId: Id | undefined, max: number): Awaitable<WebhookRow[]> {
  const { where: failing, params } = where([
    ['failing_since IS NOT NULL'],
    ['(active = 1 OR disabled_reason IS NOT NULL)'],
    keyId === undefined ? undefined : equals('key_id', keyId),
  ])
  return db.query(`SELECT ${columns} FROM webhooks ${failing} ORDER BY failing_since, id LIMIT ${max}`, params)
}

export const findWebhook = (db: Queryable, id: Id): Awaitable<WebhookRow | undefined> =>
  firstOf(db.query(`SELECT ${columns} FROM webhooks WHERE id = $1`, [id]))

export const lockWebhook = (tx: Transaction, id: Id): Awaitable<WebhookRow | undefined> =>
  firstOf(tx.query(`SELECT ${columns} FROM webhooks WHERE id = $1 ${tx.dialect.forUpdate}`, [id]))

/** How many webhooks a key has. Locks the key, so that no other webhook is created meanwhile. */
export async function countWebhooks(tx: Transaction, keyId: number): Promise<number> {
  await tx.query(`SELECT id FROM api_keys WHERE id = $1 ${tx.dialect.forUpdate}`, [keyId])
  const [row] = await tx.query<{ count: number }>('SELECT count(*) AS count FROM webhooks WHERE key_id = $1', [keyId])
  return row?.count ?? 0
}

type NewRow = Pick<WebhookRow, 'key_id' | 'url' | 'events' | 'description' | 'active' | 'secret' | 'created_at'>

export async function insertWebhook(tx: Transaction, webhook: NewRow, start: Position): Promise<WebhookRow> {
  const { key_id, url, events, description, active, secret, created_at } = webhook
  const [row] = await tx.query<WebhookRow>(
    `INSERT INTO webhooks (key_id, url, events, description, active, secret, start_tx, start_id, start_committed, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${committedNow(tx)}, $9) RETURNING ${columns}`,
    [key_id, url, events, description, active, secret, start.tx, start.id, created_at],
  )
  return row as WebhookRow
}

export async function updateWebhook(tx: Transaction, webhook: WebhookRow): Promise<void> {
  const { id, url, events, description, active, disabled_reason, start_tx, start_id, held_back, failing_since } =
    webhook
  await tx.query(
    `UPDATE webhooks SET url = $2, events = $3, description = $4, active = $5, disabled_reason = $6, start_tx = $7, start_id = $8,
       held_back = $9, failing_since = $10 WHERE id = $1`,
    [id, url, events, description, active, disabled_reason, start_tx, start_id, held_back, failing_since],
  )
}

/** From now on, a webhook gets no event that has been committed so far. */
export async function skipCommitted(tx: Transaction, id: number): Promise<void> {
  await tx.query(`UPDATE webhooks SET start_committed = ${committedNow(tx)} WHERE id = $1`, [id])
}

/** Sets the position a webhook continues from, and whether it waits there for room. */
export async function setStart(tx: Transaction, id: number, start: Position, heldBack: Bit): Promise<void> {
  await tx.query('UPDATE webhooks SET start_tx = $2, start_id = $3, held_back = $4 WHERE id = $1', [
    id,
    start.tx,
    start.id,
    heldBack,
  ])
}

/** The current secret becomes the old one, valid until `oldUntil`. */
export async function setSecret(tx: Transaction, id: number, secret: string, oldUntil: number): Promise<void> {
  await tx.query('UPDATE webhooks SET old_secret = secret, old_secret_until = $3, secret = $2 WHERE id = $1', [
    id,
    secret,
    oldUntil,
  ])
}

export async function removeWebhook(tx: Transaction, id: number): Promise<void> {
  await tx.query('DELETE FROM webhooks WHERE id = $1', [id])
}

/** An active webhook with the scopes of its key, space-separated. */
export type EndpointRow = WebhookRow & { scopes: string }

/** Condition for sending to a webhook; `$1` is the current time. */
const liveCondition = `w.active = 1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $1)
  AND ' ' || k.scopes || ' ' LIKE '% webhooks:manage %'`
const liveWebhooks = `SELECT ${columnsOf('w').join(', ')}, k.scopes FROM webhooks w JOIN api_keys k ON k.id = w.key_id WHERE ${liveCondition}`

export const findLive = (db: Queryable, now: number): Awaitable<EndpointRow[]> =>
  db.query(`${liveWebhooks} ORDER BY w.id`, [now])

/** Webhooks with a due delivery. */
export const findDue = (db: Queryable, now: number): Awaitable<EndpointRow[]> =>
  db.query(
    `${liveWebhooks} AND EXISTS (SELECT 1 FROM webhook_deliveries d
       WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.due_at <= $1) ORDER BY w.id`,
    [now],
  )

/** The number of pending deliveries of active webhooks, counted up to a limit. In a CROSS JOIN, SQLite always reads the left side first. */
export async function countWaiting(db: Queryable, now: number): Promise<number> {
  const [row] = await db.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM (
       SELECT 1 AS one FROM (${liveWebhooks}) AS live CROSS JOIN webhook_deliveries d
       WHERE d.webhook_id = live.id AND d.state = 'pending' LIMIT 100000) AS pending`,
    [now],
  )
  return row?.waiting ?? 0
}

/** When the next attempt of an active webhook is due; undefined if none is pending. */
export async function findNextDue(db: Queryable, now: number): Promise<number | undefined> {
  const [row] = await db.query<{ next: number | null }>(
    `SELECT min(next) AS next FROM (
       SELECT (SELECT min(d.due_at) FROM webhook_deliveries d WHERE d.webhook_id = live.id AND d.state = 'pending') AS next
       FROM (${liveWebhooks}) AS live) AS first_of_each`,
    [now],
  )
  return row?.next ?? undefined
}

export async function isAnyActive(db: Queryable): Promise<boolean> {
  const [row] = await db.query('SELECT 1 AS found FROM webhooks WHERE active = 1 LIMIT 1')
  return row !== undefined
}

/** A webhook with the URL that an attempt was sent to. If it has another one by now, the attempt says nothing about its receiver. */
export type Receiver = Pick<WebhookRow, 'id' | 'url'>

export function setSucceeded(tx: Transaction, { id, url }: Receiver): void {
  const statement = 'UPDATE webhooks SET failing_since = NULL WHERE id = $1 AND url = $2 AND failing_since IS NOT NULL'
  tx.send(statement, [id, url])
}

/** Marks a webhook as failing and returns since when it has been failing; undefined if it has another URL by now. */
export async function setFailing(tx: Transaction, { id, url }: Receiver, now: number): Promise<number | undefined> {
  const mark = 'UPDATE webhooks SET failing_since = $3 WHERE id = $1 AND url = $2 AND failing_since IS NULL'
  tx.send(mark, [id, url, now])
  const read = 'SELECT failing_since AS since FROM webhooks WHERE id = $1 AND url = $2'
  const [row] = await tx.query<{ since: number }>(read, [id, url])
  return row?.since
}

/** Deactivates a webhook; undefined if it is not active, or has another URL by now. */
export const setDisabled = (
  tx: Transaction,
  { id, url }: Receiver,
  reason: 'gone' | 'failing',
): Awaitable<WebhookRow | undefined> =>
  firstOf(
    tx.query(
      `UPDATE webhooks SET active = 0, disabled_reason = $3 WHERE id = $1 AND url = $2 AND active = 1 RETURNING ${columns}`,
      [id, url, reason],
    ),
  )
