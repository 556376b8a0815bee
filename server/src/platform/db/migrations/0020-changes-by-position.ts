import type { Migration } from '../migration.ts'

export const changesByPosition: Migration = {
  name: 'changes by position',
  buildIndexes: { key_changes_by_position: 'key_changes (tx)' },
}
