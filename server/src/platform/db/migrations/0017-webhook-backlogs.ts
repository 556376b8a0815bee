import { bothEngines } from './words.ts'

const attemptsKept = 20

export const webhookBacklogs = bothEngines('webhook backlogs', ({ integer }) => [
  // At least as many as are pending. Counted again before the webhook is stopped for too many, so a new one starts at the maximum.
  `ALTER TABLE webhooks ADD COLUMN waiting_at_most ${integer} NOT NULL DEFAULT 10000`,
  // 1: too many are pending, so its events stay in the log, after (start_tx, start_id), until there is room.
  `ALTER TABLE webhooks ADD COLUMN held_back ${integer} NOT NULL DEFAULT 0 CHECK (held_back IN (0, 1))`,
  // From here on no more are stored than are shown.
  `DELETE FROM webhook_attempts WHERE id IN (
     SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY delivery_id ORDER BY id DESC) AS newest FROM webhook_attempts) AS ranked
     WHERE newest > ${attemptsKept})`,
])
