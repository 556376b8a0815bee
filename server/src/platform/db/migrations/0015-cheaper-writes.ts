import type { Migration } from '../migration.ts'
import { bothEngines } from './words.ts'

const usage = bothEngines('cheaper writes', ({ id, integer, tableOptions }) => [
  // Each node appends its counts, and one node at a time adds them up, so that no two nodes write the same row.
  `CREATE TABLE usage_changes (
    id ${id},
    key_id ${integer} NOT NULL,
    starts_at ${integer} NOT NULL,
    allowed ${integer} NOT NULL,
    limited ${integer} NOT NULL,
    errors ${integer} NOT NULL
  ) ${tableOptions}`,
])

export const cheaperWrites: Migration = {
  ...usage,
  // Open and complete orders are separate in each index, so the open ones of a key or a pet need no separate index. The index of all open
  // orders uses an expression: given `complete = 0`, the planner could otherwise use it for those of one key or pet.
  buildIndexes: {
    orders_by_key_and_id: 'orders (key_id, complete, id)',
    orders_by_pet_and_id: 'orders (pet_id, complete, id)',
    orders_open_by_id: 'orders (id) WHERE complete * 1 = 0',
  },
  dropIndexes: ['orders_open', 'orders_by_key', 'orders_open_by_key', 'orders_by_pet', 'orders_open_by_pet'],
}
