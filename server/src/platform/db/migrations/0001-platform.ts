import { admitRoutine, timelineRoutine } from './0001-routines.ts'
import { bothEngines, type Words } from './words.ts'

const requests = ({ integer, text, tableOptions }: Words) => [
  `CREATE TABLE idempotent_responses (
    key_id ${integer} NOT NULL,
    idempotency_key ${text} NOT NULL,
    fingerprint ${text} NOT NULL,
    status ${integer} NOT NULL,
    location ${text},
    body ${text},
    expires_at ${integer} NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)
  ) ${tableOptions}`,
  'CREATE INDEX idempotent_responses_by_expiry ON idempotent_responses (expires_at)',

  `CREATE TABLE settings (
    name ${text} PRIMARY KEY,
    value ${text} NOT NULL
  ) ${tableOptions}`,
]

const keys = ({ id, integer, text, tableOptions }: Words) => [
  `CREATE TABLE api_keys (
    id ${id},
    name ${text} NOT NULL,
    prefix ${text} NOT NULL,
    plan ${text} NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
    per_minute ${integer} NOT NULL CHECK (per_minute > 0),
    per_day ${integer} NOT NULL CHECK (per_day > 0),
    scopes ${text} NOT NULL,
    manages_keys ${integer} NOT NULL CHECK (manages_keys IN (0, 1)),
    created_at ${integer} NOT NULL,
    expires_at ${integer},
    last_used_at ${integer},
    revoked_at ${integer}
  ) ${tableOptions}`,
  'CREATE INDEX api_keys_managing ON api_keys (id) WHERE manages_keys = 1 AND revoked_at IS NULL',

  // Only the SHA-256 of a secret is stored. A rotated one stays until its grace period ends.
  `CREATE TABLE api_key_secrets (
    hash ${text} PRIMARY KEY,
    key_id ${integer} NOT NULL REFERENCES api_keys (id),
    expires_at ${integer}
  ) ${tableOptions}`,
  'CREATE INDEX api_key_secrets_by_key ON api_key_secrets (key_id)',
  'CREATE INDEX api_key_secrets_ending ON api_key_secrets (expires_at) WHERE expires_at IS NOT NULL',

  `CREATE TABLE bans (
    id ${id},
    key_id ${integer} NOT NULL REFERENCES api_keys (id),
    level ${integer} NOT NULL CHECK (level > 0),
    started_at ${integer} NOT NULL,
    until_at ${integer} NOT NULL,
    lifted_at ${integer}
  ) ${tableOptions}`,
  'CREATE INDEX bans_by_key ON bans (key_id, id)',
  'CREATE INDEX bans_ending ON bans (until_at) WHERE lifted_at IS NULL',

  // Recent changes of keys, for nodes that missed a notification: they poll for changes after the last transaction they saw.
  `CREATE TABLE key_changes (
    id ${id},
    key_id ${integer} NOT NULL,
    changed_at ${integer} NOT NULL,
    tx ${integer} NOT NULL
  ) ${tableOptions}`,
  'CREATE INDEX key_changes_by_time ON key_changes (changed_at)',
  'CREATE INDEX key_changes_by_position ON key_changes (tx)',
]

const limitsAndUsage = ({ id, integer, text, tableOptions, counterTable, counterTableOptions, routine }: Words) => {
  const usage = `key_id ${integer} NOT NULL,
    starts_at ${integer} NOT NULL,
    allowed ${integer} NOT NULL,
    limited ${integer} NOT NULL,
    errors ${integer} NOT NULL,
    strikes ${integer} NOT NULL DEFAULT 0`
  return [
    `CREATE ${counterTable} rate_counters (
    subject ${text} NOT NULL,
    period ${text} NOT NULL,
    starts_at ${integer} NOT NULL,
    used ${integer} NOT NULL,
    PRIMARY KEY (subject, period, starts_at)
  ) ${counterTableOptions}`,
    'CREATE INDEX rate_counters_by_start ON rate_counters (starts_at)',
    ...routine(admitRoutine),

    // Key 0, an id that no key has, is the sum of all.
    ...['hours', 'days'].map(
      (period) => `CREATE TABLE usage_${period} (
    ${usage},
    PRIMARY KEY (key_id, starts_at)
  ) ${tableOptions}`,
    ),
    'CREATE INDEX usage_hours_by_start ON usage_hours (starts_at)',
    // Each node appends its counts, and one node at a time adds them up, so that no two nodes write the same row.
    `CREATE TABLE usage_changes (
    id ${id},
    ${usage}
  ) ${tableOptions}`,
  ]
}

const events = ({ id, integer, text, tableOptions, routine }: Words) => [
  // (tx, id) is the position of an event in the log. No foreign keys: events outlive their resources. `key_id` owns the event, and
  // `by_key_id` made the change: null if it was the service. `trace` is the trace of the request, which webhook attempts continue.
  `CREATE TABLE events (
    id ${id},
    tx ${integer} NOT NULL,
    type ${text} NOT NULL,
    key_id ${integer},
    cause_id ${integer},
    by_key_id ${integer},
    data ${text} NOT NULL,
    previous ${text},
    at ${integer} NOT NULL,
    trace ${text}
  ) ${tableOptions}`,
  'CREATE INDEX events_by_place ON events (tx, id)',

  // One row, or none while all values are 0: the offset of transaction numbers, the position up to which events were pruned, and the
  // timeline for which the offset was set: each later one raises the event numbers.
  `CREATE TABLE event_log (
    one ${integer} PRIMARY KEY CHECK (one = 1),
    base ${integer} NOT NULL,
    pruned_tx ${integer} NOT NULL,
    pruned_id ${integer} NOT NULL,
    timeline ${integer} NOT NULL DEFAULT 0
  ) ${tableOptions}`,
  ...routine(timelineRoutine),
]

const webhooks = ({ id, integer, text, tableOptions }: Words) => [
  // The secret signs, so it is not hashed: SECRETS_KEY encrypts it, if set. (start_tx, start_id) is the position in the log after which
  // its events start, and `start_committed` says which transactions had committed by then: an event that readers could not see yet,
  // because an older transaction was open, comes after that position although it was committed before. `waiting_at_most` is an upper
  // bound on its pending deliveries, which are counted again when it reaches the limit. `held_back`: too many are pending, so its events
  // stay in the log until there is room.
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
    start_committed ${text},
    waiting_at_most ${integer} NOT NULL DEFAULT 10000,
    held_back ${integer} NOT NULL DEFAULT 0 CHECK (held_back IN (0, 1)),
    failing_since ${integer},
    created_at ${integer} NOT NULL
  ) ${tableOptions}`,
  'CREATE INDEX webhooks_by_key ON webhooks (key_id, id)',
  'CREATE INDEX webhooks_active ON webhooks (id) WHERE active = 1',
  'CREATE INDEX webhooks_failing ON webhooks (key_id, id) WHERE failing_since IS NOT NULL',

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
]

/** The tables that every service on the platform has. */
export const platformTables = bothEngines('platform', (words) => [
  // The migrations that have run; without this table, none. A program that knows fewer than `oldest_program` must not use the schema.
  `CREATE TABLE schema_versions (
    version ${words.integer} PRIMARY KEY,
    name ${words.text} NOT NULL,
    applied_at ${words.integer} NOT NULL,
    oldest_program ${words.integer} NOT NULL DEFAULT 0
  ) ${words.tableOptions}`,
  ...requests(words),
  ...keys(words),
  ...limitsAndUsage(words),
  ...events(words),
  ...webhooks(words),
])
