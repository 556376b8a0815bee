import type { Migration } from '../migration.ts'

export const movements: Migration = {
  name: 'movements',
  // The ledger of a pet by time, for any causes: a page combines one page per cause, so no second index is needed.
  buildIndexes: { stock_movements_by_cause: 'stock_movements (pet_id, cause, at, id)' },
  dropIndexes: ['stock_movements_by_pet'],
}
