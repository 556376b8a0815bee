import type { Transaction } from '../db/database.ts'

/** Channel: nodes check for webhooks and due deliveries. */
export const webhooksChanged = 'webhooks_changed'

/** Notifies every node that there is a webhook or a delivery to handle. */
export const announceWebhooks = (tx: Transaction): void => tx.notify(webhooksChanged, '')
