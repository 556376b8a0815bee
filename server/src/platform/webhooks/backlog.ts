import { ApiError } from '../api/errors.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import { formatNumber } from '../lib/text.ts'
import { webhookErrors } from './operations.ts'
import { waitingMax } from './shapes.ts'

// Limits how many deliveries may be pending for a webhook. `waiting_at_most` is an upper bound of that number: new deliveries raise
// it, finished ones do not lower it. The pending deliveries are counted only when the bound reaches the limit.

/** How many of the wanted deliveries there is room for, unless another transaction takes it first. */
export async function findRoom(db: Queryable, webhookId: number, wanted: number): Promise<number> {
  const [webhook] = await db.query<{ bound: number }>('SELECT waiting_at_most AS bound FROM webhooks WHERE id = $1', [
    webhookId,
  ])
  if (webhook && webhook.bound <= waitingMax - wanted) return wanted
  return roomBeside(await countPending(db, webhookId), wanted)
}

/**
 * Reserves room for up to `wanted` deliveries and returns how many were granted. Locks the webhook's row, so that no other
 * transaction uses the same room.
 */
export async function reserve(tx: Transaction, webhookId: number, wanted: number): Promise<number> {
  const raised = await tx.query(
    `UPDATE webhooks SET waiting_at_most = waiting_at_most + $2
     WHERE id = $1 AND waiting_at_most <= ${waitingMax} - $2 RETURNING id`,
    [webhookId, wanted],
  )
  if (raised.length > 0) return wanted
  await tx.query(`SELECT id FROM webhooks WHERE id = $1 ${tx.dialect.forUpdate}`, [webhookId])
  const waiting = await countPending(tx, webhookId)
  const granted = roomBeside(waiting, wanted)
  await tx.query('UPDATE webhooks SET waiting_at_most = $2 WHERE id = $1', [webhookId, waiting + granted])
  return granted
}

/** Reserves room for one delivery, or throws if there is none. */
export async function reserveOne(tx: Transaction, webhookId: number): Promise<void> {
  if ((await reserve(tx, webhookId, 1)) === 0) throw backlogFull(webhookId)
}

export const backlogFull = (webhookId: number): ApiError =>
  new ApiError(
    webhookErrors.webhook_backlog_full,
    `Webhook ${webhookId} has ${formatNumber(waitingMax)} pending deliveries, which is the maximum.`,
  )

const roomBeside = (waiting: number, wanted: number): number => Math.max(0, Math.min(wanted, waitingMax - waiting))

async function countPending(db: Queryable, webhookId: number): Promise<number> {
  const [row] = await db.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM (
       SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending' LIMIT ${waitingMax}) AS pending`,
    [webhookId],
  )
  return row?.waiting ?? 0
}
