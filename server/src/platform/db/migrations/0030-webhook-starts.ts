import { bothEngines } from './words.ts'

/**
 * Which transactions had committed when a webhook was created or activated. The position it starts from is not enough: an event that
 * readers do not see yet, because an older transaction is open, comes after it although it was committed before.
 */
export const webhookStarts = bothEngines('webhook starts', () => [
  'ALTER TABLE webhooks ADD COLUMN start_committed TEXT',
])
