import { descending, type Keyset, where } from '../db/clauses.ts'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { type Found, findPage } from '../db/find-page.ts'
import { forget } from '../db/forget.ts'
import { byHundreds, placeholders } from '../db/many.ts'
import type { DeliveryAttemptRow, DeliveryRow, DeliveryState } from '../db/tables.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'
import { dayMs } from '../lib/time.ts'
import { deliveriesKeptDays } from './shapes.ts'

// The SQL of deliveries and their attempts.

export const deliverySorts = { '-id': descending({ id: 'integer' }) }
/** So many attempts are kept of each delivery, the latest. */
const attemptsKept = 20
const keptMs = deliveriesKeptDays * dayMs

const columns = 'id, webhook_id, event_id, event_type, payload, state, due_at, failures, claims, created_at'

interface DeliveryFilter {
  readonly state?: DeliveryState | undefined
  readonly eventType?: string | undefined
}

export function findDeliveries(
  db: Queryable,
  webhookId: number,
  { state, eventType }: DeliveryFilter,
  keyset: Keyset,
): Promise<Found<DeliveryRow>> {
  return findPage(
    db,
    {
      select: `SELECT ${columns} FROM webhook_deliveries`,
      where: [['webhook_id = ?', webhookId]],
      filters: [state && ['state = ?', state], eventType === undefined ? undefined : ['event_type = ?', eventType]],
    },
    keyset,
  )
}

/** An attempt together with what had become of its delivery at the moment of reading. */
export type AttemptInPlace = DeliveryAttemptRow & Pick<DeliveryRow, 'state' | 'due_at'>

/** The attempts of these deliveries, oldest first. */
export function findAttempts(db: Queryable, deliveryIds: readonly number[]): Awaitable<AttemptInPlace[]> {
  if (deliveryIds.length === 0) return []
  const { where: ofThese, params } = where([['delivery_id IN (?)', deliveryIds]])
  return db.query(
    `SELECT delivery_id, at, status, latency_ms, error, response, state, due_at
     FROM webhook_attempts JOIN webhook_deliveries ON webhook_deliveries.id = delivery_id ${ofThese}
     ORDER BY webhook_attempts.id`,
    params,
  )
}

export interface NewDelivery {
  readonly webhookId: number
  readonly eventId: string
  readonly eventType: string
}

type Again = 'stays' | 'is sent again'
const onConflict: Record<Again, string> = {
  stays: 'DO NOTHING',
  'is sent again':
    "DO UPDATE SET state = 'pending', due_at = excluded.due_at, failures = 0, claims = webhook_deliveries.claims + 1",
}

/** Deliveries that are due now. What becomes of one that is there already is said by `again`. */
export async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  now: number,
  again: Again,
): Promise<void> {
  for (const some of byHundreds(deliveries)) {
    const values = some.flatMap(({ webhookId, eventId, eventType }) => [
      webhookId,
      eventId,
      eventType,
      'pending',
      now,
      now,
    ])
    await tx.query(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, state, due_at, created_at)
       VALUES ${placeholders(some.length, 6)} ON CONFLICT (webhook_id, event_id) ${onConflict[again]}`,
      values,
    )
  }
}

/** A delivery of something that is not in the log. */
export async function insertOwn(
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

/** Has a delivery begin anew; undefined when the webhook has no such delivery. */
export async function beginAgain(
  tx: Transaction,
  webhookId: number,
  id: Id,
  now: number,
): Promise<DeliveryRow | undefined> {
  const [row] = await tx.query<DeliveryRow>(
    `UPDATE webhook_deliveries SET state = 'pending', due_at = $3, failures = 0, claims = claims + 1 WHERE webhook_id = $1 AND id = $2
     RETURNING ${columns}`,
    [webhookId, id, now],
  )
  return row
}

/**
 * Takes deliveries whose time has come, for as long as the lease: until then no other node takes them, and if this one dies, others
 * do when it ends. One statement, which passes over what another node is taking at this moment.
 */
export function claim(
  tx: Transaction,
  webhookId: number,
  { room, underWay, now, leaseEndsAt }: { room: number; underWay: readonly number[]; now: number; leaseEndsAt: number },
): Awaitable<DeliveryRow[]> {
  const { where: isDue, params } = where(
    [
      ['webhook_id = ?', webhookId],
      ["state = 'pending'"],
      ['due_at <= ?', now],
      underWay.length > 0 ? ['id NOT IN (?)', underWay] : undefined,
    ],
    [leaseEndsAt],
  )
  return tx.query(
    `WITH taken AS MATERIALIZED (SELECT id FROM webhook_deliveries ${isDue} ORDER BY due_at, id LIMIT ${room} ${tx.dialect.forUpdateSkippingLocked})
     UPDATE webhook_deliveries SET due_at = $1, claims = claims + 1 WHERE id IN (SELECT id FROM taken) RETURNING ${columns}`,
    params,
  )
}

/** Sets what became of a delivery, unless another node has taken it over since. */
export function settle(
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

/** Gives deliveries back before their lease ends. */
export async function release(tx: Transaction, { id, claims }: DeliveryRow, now: number): Promise<void> {
  await tx.query("UPDATE webhook_deliveries SET due_at = $3 WHERE id = $1 AND claims = $2 AND state = 'pending'", [
    id,
    claims,
    now,
  ])
}

/** Writes an attempt down, and forgets the oldest of its delivery where there are more than are kept. */
export function insertAttempt(
  tx: Transaction,
  { claims }: Pick<DeliveryRow, 'claims'>,
  { delivery_id, at, status, latency_ms, error, response }: DeliveryAttemptRow,
): void {
  // A delivery that was forgotten meanwhile has no log to add to.
  tx.send(
    `INSERT INTO webhook_attempts (delivery_id, at, status, latency_ms, error, response)
     SELECT id, $2, $3, $4, $5, $6 FROM webhook_deliveries WHERE id = $1`,
    [delivery_id, at, status, latency_ms, error, response],
  )
  // Each attempt was claimed, so only a delivery with many claims can have too many attempts.
  if (claims > attemptsKept) tx.send(forgetOldAttempts, [delivery_id])
}

const forgetOldAttempts = `DELETE FROM webhook_attempts WHERE delivery_id = $1 AND id <= (
  SELECT id FROM webhook_attempts WHERE delivery_id = $1 ORDER BY id DESC LIMIT 1 OFFSET ${attemptsKept})`

export const forgetOldDeliveries = (db: Database, now: number): Promise<void> =>
  // Up to twenty attempts go with each.
  forget(
    db,
    {
      table: 'webhook_deliveries',
      key: 'id',
      isOutdated: (time) => `created_at < ${time} - ${keptMs}`,
      batchSize: 100,
    },
    now,
  )
