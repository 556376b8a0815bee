import { bothEngines } from './words.ts'

const attemptsKept = 20

export const webhookBacklogs = bothEngines('webhook backlogs', ({ integer }) => [
  // Never less than wait for the webhook, and counted again before it is believed that there are too many: a new one is at the bound.
  `ALTER TABLE webhooks ADD COLUMN waiting_at_most ${integer} NOT NULL DEFAULT 10000`,
  // 1: too many wait, so its events stay in the log, behind (start_tx, start_id), until there is room.
  `ALTER TABLE webhooks ADD COLUMN held_back ${integer} NOT NULL DEFAULT 0 CHECK (held_back IN (0, 1))`,
  // From here on no more are kept than are shown.
  `DELETE FROM webhook_attempts WHERE id IN (
     SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY delivery_id ORDER BY id DESC) AS newest FROM webhook_attempts) AS ranked
     WHERE newest > ${attemptsKept})`,
])
