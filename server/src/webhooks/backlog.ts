import { ApiError } from '../api/errors.ts'
import type { Transaction } from '../db/database.ts'
import { formatNumber } from '../lib/text.ts'
import { waitingMax } from './shapes.ts'

// Limits how many deliveries may be pending for a webhook. `waiting_at_most` is an upper bound of that number: new deliveries raise
// it, finished ones do not lower it. The pending deliveries are counted only when the bound reaches the limit.

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
  const granted = Math.max(0, Math.min(wanted, waitingMax - waiting))
  await tx.query('UPDATE webhooks SET waiting_at_most = $2 WHERE id = $1', [webhookId, waiting + granted])
  return granted
}

/** Reserves room for one delivery, or throws if there is none. */
export async function reserveOne(tx: Transaction, webhookId: number): Promise<void> {
  if ((await reserve(tx, webhookId, 1)) === 0) throw backlogFull(webhookId)
}

export const backlogFull = (webhookId: number): ApiError =>
  new ApiError(
    'webhook_backlog_full',
    `Webhook ${webhookId} has ${formatNumber(waitingMax)} pending deliveries, which is the maximum.`,
  )

async function countPending(tx: Transaction, webhookId: number): Promise<number> {
  const [row] = await tx.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM (
       SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending' LIMIT ${waitingMax}) AS pending`,
    [webhookId],
  )
  return row?.waiting ?? 0
}
