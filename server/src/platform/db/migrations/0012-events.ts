import { bothEngines } from './words.ts'

export const events = bothEngines('events', ({ id, integer, text, tableOptions }) => [
  // (tx, id) is the position of an event in the log. No foreign keys: events outlive their resources.
  `CREATE TABLE events (
    id ${id},
    tx ${integer} NOT NULL,
    type ${text} NOT NULL,
    key_id ${integer},
    data ${text} NOT NULL,
    previous ${text},
    at ${integer} NOT NULL
  ) ${tableOptions}`,
  'CREATE INDEX events_by_place ON events (tx, id)',

  // One row, or none while all values are 0: the offset of transaction numbers, and the position up to which events were pruned.
  `CREATE TABLE event_log (
    one ${integer} PRIMARY KEY CHECK (one = 1),
    base ${integer} NOT NULL,
    pruned_tx ${integer} NOT NULL,
    pruned_id ${integer} NOT NULL
  ) ${tableOptions}`,
])
