import type { Migration } from '../migration.ts'

const countMax = 1_000_000_000

// The triggers of migration 23: they belong to the table and are lost with it.
const bit = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`
const noteStock = (row: 'old' | 'new') => {
  const sign = row === 'new' ? '' : '-'
  return `INSERT INTO shop_count_changes (in_stock, well_stocked)
    VALUES (${sign}${bit(`${row}.quantity > 0`)}, ${sign}${bit(`${row}.quantity > 2`)});`
}
const crossesLevel = '(old.quantity > 0) <> (new.quantity > 0) OR (old.quantity > 2) <> (new.quantity > 2)'

/** A stock count, and so each change of one, is at most 1,000,000,000. PostgreSQL checks the rows there are in the next migration. */
export const stockLimit: Migration = {
  name: 'stock limit',
  statements: {
    // SQLite cannot add a CHECK to a table.
    sqlite: [
      'ALTER TABLE inventory RENAME TO old_inventory',
      `CREATE TABLE inventory (
         pet_id INTEGER PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
         quantity INTEGER NOT NULL CHECK (quantity BETWEEN 0 AND ${countMax})
       ) STRICT`,
      'INSERT INTO inventory (pet_id, quantity) SELECT pet_id, quantity FROM old_inventory',
      'DROP TABLE old_inventory',
      `CREATE TRIGGER inventory_count_insert AFTER INSERT ON inventory WHEN new.quantity > 0 BEGIN ${noteStock('new')} END`,
      `CREATE TRIGGER inventory_count_delete AFTER DELETE ON inventory WHEN old.quantity > 0 BEGIN ${noteStock('old')} END`,
      `CREATE TRIGGER inventory_count_update AFTER UPDATE OF quantity ON inventory WHEN ${crossesLevel}
         BEGIN ${noteStock('old')} ${noteStock('new')} END`,
      'ALTER TABLE stock_movements RENAME TO old_stock_movements',
      `CREATE TABLE stock_movements (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         pet_id INTEGER NOT NULL,
         delta INTEGER NOT NULL CHECK (delta BETWEEN -${countMax} AND ${countMax}),
         cause TEXT NOT NULL CHECK (cause IN
           ('registered', 'set', 'adjusted', 'removed', 'ordered', 'order changed', 'cancelled')),
         order_id INTEGER,
         reason TEXT,
         at INTEGER NOT NULL,
         by_key_id INTEGER
       ) STRICT`,
      `INSERT INTO stock_movements (id, pet_id, delta, cause, order_id, reason, at, by_key_id)
       SELECT id, pet_id, delta, cause, order_id, reason, at, by_key_id FROM old_stock_movements`,
      'DROP TABLE old_stock_movements',
      'CREATE INDEX stock_movements_by_cause ON stock_movements (pet_id, cause, at, id)',
    ],
    postgres: [
      `ALTER TABLE inventory ADD CONSTRAINT inventory_quantity_max CHECK (quantity <= ${countMax}) NOT VALID`,
      `ALTER TABLE stock_movements ADD CONSTRAINT stock_movements_delta_check
         CHECK (delta BETWEEN -${countMax} AND ${countMax}) NOT VALID`,
    ],
  },
}
