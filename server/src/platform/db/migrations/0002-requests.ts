import { bothEngines } from './words.ts'

export const requests = bothEngines('requests', ({ integer, text, tableOptions }) => [
  `CREATE TABLE idempotent_answers (
    key_id ${integer} NOT NULL,
    idempotency_key ${text} NOT NULL,
    fingerprint ${text} NOT NULL,
    status ${integer} NOT NULL,
    location ${text},
    body ${text},
    expires_at ${integer} NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)
  ) ${tableOptions}`,
  'CREATE INDEX idempotent_answers_by_expiry ON idempotent_answers (expires_at)',

  `CREATE TABLE settings (
    name ${text} PRIMARY KEY,
    value ${text} NOT NULL
  ) ${tableOptions}`,
])
