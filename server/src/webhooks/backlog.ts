import { ApiError } from '../api/errors.ts'
import type { Transaction } from '../db/database.ts'
import { grouped } from '../lib/text.ts'
import { waitingMax } from './shapes.ts'

// How many deliveries may wait for a webhook. Each webhook has a number that is never less than what waits: whatever adds deliveries
// raises it, what is delivered does not lower it. Only when it reaches the bound are they counted.

/**
 * Reserves room for as many of `wanted` deliveries as may wait for the webhook, and says how many. Its row is locked from here on, so
 * no other transaction has the same room.
 */
export async function reserve(tx: Transaction, webhookId: number, wanted: number): Promise<number> {
  const raised = await tx.query(
    `UPDATE webhooks SET waiting_at_most = waiting_at_most + $2
     WHERE id = $1 AND waiting_at_most <= ${waitingMax} - $2 RETURNING id`,
    [webhookId, wanted],
  )
  if (raised.length > 0) return wanted
  await tx.query(`SELECT id FROM webhooks WHERE id = $1 ${tx.dialect.forUpdate}`, [webhookId])
  const waiting = await countWaitingFor(tx, webhookId)
  const granted = Math.max(0, Math.min(wanted, waitingMax - waiting))
  await tx.query('UPDATE webhooks SET waiting_at_most = $2 WHERE id = $1', [webhookId, waiting + granted])
  return granted
}

/** The same for one delivery, which is refused when there is no room. */
export async function reserveOne(tx: Transaction, webhookId: number): Promise<void> {
  if ((await reserve(tx, webhookId, 1)) === 0) throw backlogFull(webhookId)
}

export const backlogFull = (webhookId: number): ApiError =>
  new ApiError('webhook_backlog_full', `${grouped(waitingMax)} deliveries wait for webhook ${webhookId}.`)

async function countWaitingFor(tx: Transaction, webhookId: number): Promise<number> {
  const [row] = await tx.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM (
       SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending' LIMIT ${waitingMax}) AS pending`,
    [webhookId],
  )
  return row?.waiting ?? 0
}
