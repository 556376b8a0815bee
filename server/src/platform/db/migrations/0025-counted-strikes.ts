import { bothEngines } from './words.ts'

/** Strikes are counted with the other requests of an hour, because their own counters are kept for minutes only. */
export const countedStrikes = bothEngines('counted strikes', ({ integer }) =>
  ['usage_changes', 'usage_hours', 'usage_days'].map(
    (table) => `ALTER TABLE ${table} ADD COLUMN strikes ${integer} NOT NULL DEFAULT 0`,
  ),
)
