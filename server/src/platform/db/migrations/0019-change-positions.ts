import type { Migration } from '../migration.ts'

/** The number of the transaction that wrote a change: nodes poll for changes after the last number they saw, not by time. */
export const changePositions: Migration = {
  name: 'change positions',
  statements: {
    sqlite: ['ALTER TABLE key_changes ADD COLUMN tx INTEGER'],
    postgres: [
      'ALTER TABLE key_changes ADD COLUMN tx bigint',
      // For nodes of the previous release, which do not set it.
      'ALTER TABLE key_changes ALTER COLUMN tx SET DEFAULT pg_current_xact_id()::text::bigint',
    ],
  },
}
