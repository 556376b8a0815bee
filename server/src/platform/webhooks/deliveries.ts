import { ApiError } from '../api/errors.ts'
import { descending, equals, type Keyset, where } from '../db/clauses.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import { findPage } from '../db/pages/find-page.ts'
import type { Found } from '../db/pages/list.ts'
import { type Awaitable, firstOf } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'
import { dayMs } from '../lib/time.ts'
import { webhookErrors } from './operations.ts'
import { attemptsKept, deliveriesKeptDays } from './shapes.ts'

export type DeliveryState = 'pending' | 'delivered' | 'failed'

export interface DeliveryRow {
  id: number
  webhook_id: number
  event_id: string
  event_type: string
  /** The body to send, for an event that is not in the log. */
  payload: string | null
  state: DeliveryState
  /** When the next attempt is due; during an attempt, when another node may claim it. */
  due_at: number | null
  /** Failed attempts since it was created or restarted. */
  failures: number
  /** How often it was claimed or restarted; identifies the current claim. */
  claims: number
  created_at: number
}

export interface DeliveryAttemptRow {
  delivery_id: number
  at: number
  status: number | null
  latency_ms: number
  error: string | null
  response: string | null
}

export const deliverySorts = { '-id': descending({ id: 'integer' }) }
const keptMs = deliveriesKeptDays * dayMs

const columns = 'id, webhook_id, event_id, event_type, payload, state, due_at, failures, claims, created_at'

interface DeliveryFilter {
  readonly state?: readonly DeliveryState[] | undefined
  readonly type?: readonly string[] | undefined
}

export function findDeliveries(
  db: Queryable,
  webhookId: number,
  { state, type }: DeliveryFilter,
  keyset: Keyset,
): Promise<Found<DeliveryRow>> {
  return findPage(
    db,
    {
      select: `SELECT ${columns} FROM webhook_deliveries`,
      where: [equals('webhook_id', webhookId)],
      filters: [state && ['state IN (?)', state], type && ['event_type IN (?)', type]],
    },
    keyset,
  )
}

export const deliveryNotFound = (webhookId: number, id: Id): ApiError =>
  new ApiError(webhookErrors.delivery_not_found, `Webhook ${webhookId} has no delivery ${id}.`)

/** One delivery of a webhook. */
export const findDelivery = (db: Queryable, webhookId: number, id: Id): Awaitable<DeliveryRow | undefined> =>
  firstOf(db.query(`SELECT ${columns} FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2`, [webhookId, id]))

/** An attempt with the state of its delivery, read in one statement. */
export type AttemptWithState = DeliveryAttemptRow & Pick<DeliveryRow, 'state' | 'due_at'>

/** The attempts of these deliveries, oldest first. */
export function findAttempts(db: Queryable, deliveryIds: readonly number[]): Awaitable<AttemptWithState[]> {
  if (deliveryIds.length === 0) return []
  const { where: deliveryFilter, params } = where([['delivery_id IN (?)', deliveryIds]])
  return db.query(
    `SELECT delivery_id, at, status, latency_ms, error, response, state, due_at
     FROM webhook_attempts JOIN webhook_deliveries ON webhook_deliveries.id = delivery_id ${deliveryFilter}
     ORDER BY webhook_attempts.id`,
    params,
  )
}

interface SentAttemptRow extends Pick<DeliveryAttemptRow, 'at' | 'status' | 'error' | 'latency_ms'> {
  id: number
  webhook_id: number
  event_id: string
  url: string
  /** 1 for the first attempt of its delivery. */
  attempt: number
}

/** The latest attempts of all webhooks, newest first. */
export const findLatestAttempts = (db: Queryable, limit: number): Awaitable<SentAttemptRow[]> =>
  db.query(
    `SELECT a.id, a.at, a.status, a.error, a.latency_ms, d.webhook_id, d.event_id, w.url,
       (SELECT count(*) FROM webhook_attempts b WHERE b.delivery_id = a.delivery_id AND b.id <= a.id) AS attempt
     FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id JOIN webhooks w ON w.id = d.webhook_id
     ORDER BY a.id DESC LIMIT $1`,
    [limit],
  )

export interface NewDelivery {
  readonly webhookId: number
  readonly eventId: string
  readonly eventType: string
}

type OnConflict = 'keep' | 'resend'
const conflictSql: Record<OnConflict, string> = {
  keep: 'DO NOTHING',
  resend:
    "DO UPDATE SET state = 'pending', due_at = excluded.due_at, failures = 0, claims = webhook_deliveries.claims + 1",
}

/** Inserts deliveries that are due now. `onConflict` says what to do with a delivery that already exists. */
export async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  now: number,
  onConflict: OnConflict,
): Promise<void> {
  for (const batch of byHundreds(deliveries)) {
    const values = batch.flatMap(({ webhookId, eventId, eventType }) => [
      webhookId,
      eventId,
      eventType,
      'pending',
      now,
      now,
    ])
    await tx.query(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, state, due_at, created_at)
       VALUES ${placeholders(batch.length, 6)} ON CONFLICT (webhook_id, event_id) ${conflictSql[onConflict]}`,
      values,
    )
  }
}

/** Inserts a delivery with its own payload, for an event that is not in the log. */
export async function insertWithPayload(
  tx: Transaction,
  { webhookId, eventId, eventType }: NewDelivery,
  payload: string,
  now: number,
): Promise<DeliveryRow> {
  const [row] = await tx.query<DeliveryRow>(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, payload, state, due_at, created_at)
     VALUES ($1, $2, $3, $4, 'pending', $5, $5) RETURNING ${columns}`,
    [webhookId, eventId, eventType, payload, now],
  )
  return row as DeliveryRow
}

/** Locks a delivery of a webhook; undefined if there is no such delivery. */
export const lockDelivery = (tx: Transaction, webhookId: number, id: Id): Awaitable<DeliveryRow | undefined> =>
  firstOf(
    tx.query(`SELECT ${columns} FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2 ${tx.dialect.forUpdate}`, [
      webhookId,
      id,
    ]),
  )

/** Restarts a locked delivery. */
export async function restartDelivery(tx: Transaction, id: number, now: number): Promise<DeliveryRow> {
  const [row] = await tx.query<DeliveryRow>(
    `UPDATE webhook_deliveries SET state = 'pending', due_at = $2, failures = 0, claims = claims + 1 WHERE id = $1
     RETURNING ${columns}`,
    [id, now],
  )
  return row as DeliveryRow
}

/**
 * Claims due deliveries until the lease ends: no other node takes them before then, and if this node dies, another one takes them
 * after. A single statement, which skips deliveries that another node is claiming.
 */
export function claim(
  tx: Transaction,
  webhookId: number,
  { room, running, now, leaseEndsAt }: { room: number; running: readonly number[]; now: number; leaseEndsAt: number },
): Awaitable<DeliveryRow[]> {
  const { where: dueFilter, params } = where(
    [
      equals('webhook_id', webhookId),
      ["state = 'pending'"],
      ['due_at <= ?', now],
      running.length > 0 ? ['id NOT IN (?)', running] : undefined,
    ],
    [leaseEndsAt],
  )
  return tx.query(
    `WITH claimed AS MATERIALIZED (SELECT id FROM webhook_deliveries ${dueFilter} ORDER BY due_at, id LIMIT ${room} ${tx.dialect.forUpdateSkippingLocked})
     UPDATE webhook_deliveries SET due_at = $1, claims = claims + 1 WHERE id IN (SELECT id FROM claimed) RETURNING ${columns}`,
    params,
  )
}

/** Updates the state of a delivery, unless another node has claimed it since. */
export function setState(
  tx: Transaction,
  { id, claims }: Pick<DeliveryRow, 'id' | 'claims'>,
  { state, due_at, failures }: Pick<DeliveryRow, 'state' | 'due_at' | 'failures'>,
): void {
  tx.send('UPDATE webhook_deliveries SET state = $3, due_at = $4, failures = $5 WHERE id = $1 AND claims = $2', [
    id,
    claims,
    state,
    due_at,
    failures,
  ])
}

/** Releases a claimed delivery before its lease ends. */
export async function release(tx: Transaction, { id, claims }: DeliveryRow, now: number): Promise<void> {
  await tx.query('UPDATE webhook_deliveries SET due_at = $3 WHERE id = $1 AND claims = $2', [id, claims, now])
}

/** Stores an attempt, and deletes the delivery's oldest attempts beyond `attemptsKept`. */
export function insertAttempt(
  tx: Transaction,
  { claims }: Pick<DeliveryRow, 'claims'>,
  { delivery_id, at, status, latency_ms, error, response }: DeliveryAttemptRow,
): void {
  // The delivery may have been deleted meanwhile; then nothing is inserted.
  tx.send(
    `INSERT INTO webhook_attempts (delivery_id, at, status, latency_ms, error, response)
     SELECT id, $2, $3, $4, $5, $6 FROM webhook_deliveries WHERE id = $1`,
    [delivery_id, at, status, latency_ms, error, response],
  )
  // Every attempt needs a claim, so only a delivery with many claims can have too many attempts.
  if (claims > attemptsKept) tx.send(deleteOldAttempts, [delivery_id])
}

const deleteOldAttempts = `DELETE FROM webhook_attempts WHERE delivery_id = $1 AND id <= (
  SELECT id FROM webhook_attempts WHERE delivery_id = $1 ORDER BY id DESC LIMIT 1 OFFSET ${attemptsKept})`

export const forgetOldDeliveries = (db: Database, now: number): Promise<void> =>
  // A small batch, because up to 20 attempts are deleted with each row.
  forget(
    db,
    {
      table: 'webhook_deliveries',
      key: 'id',
      // An old one that was sent again is pending until its retries are over.
      isOutdated: (time) => `created_at < ${time} - ${keptMs} AND (due_at IS NULL OR due_at < ${time} - ${keptMs})`,
      batchSize: 100,
    },
    now,
  )
