import { bothEngines } from './words.ts'

export const webhooks = bothEngines('webhooks', ({ id, integer, text, tableOptions }) => [
  // The secret signs, so it is stored in plain text. (start_tx, start_id) is the position in the log after which its events start.
  `CREATE TABLE webhooks (
    id ${id},
    key_id ${integer} NOT NULL REFERENCES api_keys (id),
    url ${text} NOT NULL,
    events ${text} NOT NULL,
    description ${text},
    active ${integer} NOT NULL CHECK (active IN (0, 1)),
    disabled_reason ${text} CHECK (disabled_reason IN ('gone', 'failing')),
    secret ${text} NOT NULL,
    old_secret ${text},
    old_secret_until ${integer},
    start_tx ${integer} NOT NULL,
    start_id ${integer} NOT NULL,
    failing_since ${integer},
    created_at ${integer} NOT NULL
  ) ${tableOptions}`,
  'CREATE INDEX webhooks_by_key ON webhooks (key_id, id)',
  'CREATE INDEX webhooks_active ON webhooks (id) WHERE active = 1',

  // No foreign key to webhooks: deliveries of a deleted one are deleted later, in batches. During an attempt, due_at is when another
  // node may take it over. A payload is stored only if the event is not in the log.
  `CREATE TABLE webhook_deliveries (
    id ${id},
    webhook_id ${integer} NOT NULL,
    event_id ${text} NOT NULL,
    event_type ${text} NOT NULL,
    payload ${text},
    state ${text} NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    due_at ${integer},
    failures ${integer} NOT NULL DEFAULT 0,
    claims ${integer} NOT NULL DEFAULT 0,
    created_at ${integer} NOT NULL,
    CHECK ((state = 'pending') = (due_at IS NOT NULL))
  ) ${tableOptions}`,
  'CREATE UNIQUE INDEX webhook_deliveries_by_event ON webhook_deliveries (webhook_id, event_id)',
  'CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id)',
  "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, id) WHERE state = 'pending'",
  'CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (created_at)',

  `CREATE TABLE webhook_attempts (
    id ${id},
    delivery_id ${integer} NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    at ${integer} NOT NULL,
    status ${integer},
    latency_ms ${integer} NOT NULL,
    error ${text},
    response ${text}
  ) ${tableOptions}`,
  'CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_id, id)',

  // One row: the position in the log up to which deliveries were created.
  `CREATE TABLE webhook_position (
    one ${integer} PRIMARY KEY CHECK (one = 1),
    tx ${integer} NOT NULL,
    id ${integer} NOT NULL
  ) ${tableOptions}`,
])
