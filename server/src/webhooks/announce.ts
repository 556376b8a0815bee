import type { Transaction } from '../db/database.ts'

/** Nodes that hear this look for webhooks to serve. */
export const webhooksChanged = 'webhooks_changed'

/** Tells every node that there is a webhook, or a delivery, to be served now. */
export const announceWebhooks = (tx: Transaction): void => tx.notify(webhooksChanged, '')
