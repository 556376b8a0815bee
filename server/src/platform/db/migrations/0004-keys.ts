import { bothEngines } from './words.ts'

export const keys = bothEngines('keys', ({ id, integer, text, tableOptions, counterTable, counterTableOptions }) => [
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

  `CREATE TABLE bans (
    id ${id},
    key_id ${integer} NOT NULL REFERENCES api_keys (id),
    level ${integer} NOT NULL CHECK (level > 0),
    started_at ${integer} NOT NULL,
    until_at ${integer} NOT NULL,
    lifted_at ${integer}
  ) ${tableOptions}`,
  'CREATE INDEX bans_by_key ON bans (key_id, id)',

  `CREATE ${counterTable} rate_counters (
    subject ${text} NOT NULL,
    period ${text} NOT NULL,
    starts_at ${integer} NOT NULL,
    used ${integer} NOT NULL,
    PRIMARY KEY (subject, period, starts_at)
  ) ${counterTableOptions}`,
  'CREATE INDEX rate_counters_by_start ON rate_counters (starts_at)',

  ...['hours', 'days'].map(
    (period) => `CREATE TABLE usage_${period} (
    key_id ${integer} NOT NULL,
    starts_at ${integer} NOT NULL,
    allowed ${integer} NOT NULL,
    limited ${integer} NOT NULL,
    errors ${integer} NOT NULL,
    PRIMARY KEY (key_id, starts_at)
  ) ${tableOptions}`,
  ),
  'CREATE INDEX usage_hours_by_start ON usage_hours (starts_at)',
])
