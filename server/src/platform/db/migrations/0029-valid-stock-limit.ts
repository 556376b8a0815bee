import type { Migration } from '../migration.ts'

export const validStockLimit: Migration = {
  name: 'valid stock limit',
  statements: {
    sqlite: [],
    postgres: [
      'ALTER TABLE inventory VALIDATE CONSTRAINT inventory_quantity_max',
      'ALTER TABLE stock_movements VALIDATE CONSTRAINT stock_movements_delta_check',
    ],
  },
}
