import type { Words } from '../../platform/db/migrations/words.ts'

// Triggers record every change of a count, and a job adds the changes up, so that no write waits for the row of a counter.

const columns = ['open_orders', 'placed', 'completed', 'cancelled', 'units', 'in_stock', 'well_stocked']

export const countTables = ({ id, integer, text, tableOptions }: Words): string[] => {
  const counts = columns.map((column) => `${column} ${integer} NOT NULL DEFAULT 0`).join(',\n    ')
  return [
    // The number of pets by category and status. Category 0, an id that no category has, is the sum of all.
    `CREATE TABLE pet_counts (
    category_id ${integer} NOT NULL,
    status ${text} NOT NULL,
    pets ${integer} NOT NULL,
    PRIMARY KEY (category_id, status)
  ) ${tableOptions}`,
    `CREATE TABLE pet_count_changes (
    id ${id},
    category_id ${integer} NOT NULL,
    status ${text} NOT NULL,
    pets ${integer} NOT NULL
  ) ${tableOptions}`,

    // Orders placed, completed and cancelled, and units sold, are counted by the hour in which that happened. Counts of what is there now
    // (open orders, pets with stock, pets with more than what counts as low) are in the row of hour -1.
    `CREATE TABLE shop_counts (
    starts_at ${integer} PRIMARY KEY,
    ${counts}
  ) ${tableOptions}`,
    `CREATE TABLE shop_count_changes (
    id ${id},
    starts_at ${integer} NOT NULL DEFAULT -1,
    ${counts}
  ) ${tableOptions}`,
    'INSERT INTO shop_counts (starts_at) VALUES (-1)',

    // What existed when each hour began.
    `CREATE TABLE shop_hours (
    starts_at ${integer} PRIMARY KEY,
    open_orders ${integer} NOT NULL,
    available ${integer} NOT NULL,
    low_stock ${integer} NOT NULL,
    low_stock_max ${integer} NOT NULL
  ) ${tableOptions}`,
  ]
}

const notePet = (row: 'old' | 'new') =>
  `INSERT INTO pet_count_changes (category_id, status, pets) VALUES (${row}.category_id, ${row}.status, ${row === 'new' ? 1 : -1});`

const bit = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`
const isDone = `new.kind = 'completed' OR (new.kind = 'placed' AND new.changes LIKE '%"complete":{"to":true}%')`
const soldUnits = 'coalesce((SELECT quantity FROM orders WHERE id = new.order_id), 0)'

// As of each statement, also on PostgreSQL: a change of the setting keeps others from changing the inventory, and counts again.
const lowStockMax = 'coalesce((SELECT low_stock_max FROM shop_settings WHERE one = 1), 2)'

const noteOrder = (change: string) => `INSERT INTO shop_count_changes (open_orders) VALUES (${change});`
const noteHistory = `INSERT INTO shop_count_changes (starts_at, placed, completed, cancelled, units)
  VALUES (new.at - new.at % 3600000, ${bit("new.kind = 'placed'")}, ${bit(isDone)}, ${bit("new.kind = 'cancelled'")}, CASE WHEN ${isDone} THEN ${soldUnits} ELSE 0 END);`
const noteStock = (row: 'old' | 'new') => {
  const sign = row === 'new' ? '' : '-'
  return `INSERT INTO shop_count_changes (in_stock, well_stocked)
    VALUES (${sign}${bit(`${row}.quantity > 0`)}, ${sign}${bit(`${row}.quantity > ${lowStockMax}`)});`
}
const difference = (level: string) => `${bit(`new.quantity > ${level}`)} - ${bit(`old.quantity > ${level}`)}`
const noteStockChange = `INSERT INTO shop_count_changes (in_stock, well_stocked)
  SELECT in_stock, well_stocked FROM (
    SELECT ${difference('0')} AS in_stock, ${difference('low')} AS well_stocked FROM (SELECT ${lowStockMax} AS low) AS levels
  ) AS change WHERE in_stock <> 0 OR well_stocked <> 0;`

const routine = (name: string, body: string) =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$`

export const countTriggers = {
  sqlite: [
    `CREATE TRIGGER pets_count_insert AFTER INSERT ON pets BEGIN ${notePet('new')} END`,
    `CREATE TRIGGER pets_count_delete AFTER DELETE ON pets BEGIN ${notePet('old')} END`,
    `CREATE TRIGGER pets_count_update AFTER UPDATE OF category_id, status ON pets
         WHEN old.category_id <> new.category_id OR old.status <> new.status BEGIN ${notePet('old')} ${notePet('new')} END`,
    `CREATE TRIGGER orders_count_insert AFTER INSERT ON orders WHEN new.complete = 0 BEGIN ${noteOrder('1')} END`,
    `CREATE TRIGGER orders_count_delete AFTER DELETE ON orders WHEN old.complete = 0 BEGIN ${noteOrder('-1')} END`,
    `CREATE TRIGGER orders_count_update AFTER UPDATE OF complete ON orders WHEN old.complete <> new.complete
         BEGIN ${noteOrder('old.complete - new.complete')} END`,
    `CREATE TRIGGER order_history_count AFTER INSERT ON order_history WHEN new.kind <> 'changed' BEGIN ${noteHistory} END`,
    `CREATE TRIGGER inventory_count_insert AFTER INSERT ON inventory WHEN new.quantity > 0 BEGIN ${noteStock('new')} END`,
    `CREATE TRIGGER inventory_count_delete AFTER DELETE ON inventory WHEN old.quantity > 0 BEGIN ${noteStock('old')} END`,
    `CREATE TRIGGER inventory_count_update AFTER UPDATE OF quantity ON inventory WHEN old.quantity <> new.quantity
         BEGIN ${noteStockChange} END`,
  ],
  postgres: [
    `CREATE FUNCTION petstore_count_pet() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF TG_OP <> 'INSERT' THEN ${notePet('old')} END IF;
         IF TG_OP <> 'DELETE' THEN ${notePet('new')} END IF;
         RETURN NULL;
       END $$`,
    'CREATE TRIGGER pets_count AFTER INSERT OR DELETE ON pets FOR EACH ROW EXECUTE FUNCTION petstore_count_pet()',
    `CREATE TRIGGER pets_count_update AFTER UPDATE OF category_id, status ON pets FOR EACH ROW
         WHEN (old.category_id <> new.category_id OR old.status <> new.status) EXECUTE FUNCTION petstore_count_pet()`,
    routine('petstore_count_new_order', noteOrder('1')),
    routine('petstore_count_cancelled_order', noteOrder('-1')),
    routine('petstore_count_order_change', noteOrder('old.complete - new.complete')),
    routine('petstore_count_history', noteHistory),
    routine('petstore_count_new_stock', noteStock('new')),
    routine('petstore_count_removed_stock', noteStock('old')),
    routine('petstore_count_stock_change', noteStockChange),
    `CREATE TRIGGER orders_count_insert AFTER INSERT ON orders FOR EACH ROW WHEN (new.complete = 0)
         EXECUTE FUNCTION petstore_count_new_order()`,
    `CREATE TRIGGER orders_count_delete AFTER DELETE ON orders FOR EACH ROW WHEN (old.complete = 0)
         EXECUTE FUNCTION petstore_count_cancelled_order()`,
    `CREATE TRIGGER orders_count_update AFTER UPDATE OF complete ON orders FOR EACH ROW
         WHEN (old.complete <> new.complete) EXECUTE FUNCTION petstore_count_order_change()`,
    `CREATE TRIGGER order_history_count AFTER INSERT ON order_history FOR EACH ROW WHEN (new.kind <> 'changed')
         EXECUTE FUNCTION petstore_count_history()`,
    `CREATE TRIGGER inventory_count_insert AFTER INSERT ON inventory FOR EACH ROW WHEN (new.quantity > 0)
         EXECUTE FUNCTION petstore_count_new_stock()`,
    `CREATE TRIGGER inventory_count_delete AFTER DELETE ON inventory FOR EACH ROW WHEN (old.quantity > 0)
         EXECUTE FUNCTION petstore_count_removed_stock()`,
    `CREATE TRIGGER inventory_count_update AFTER UPDATE OF quantity ON inventory FOR EACH ROW
         WHEN (old.quantity <> new.quantity) EXECUTE FUNCTION petstore_count_stock_change()`,
  ],
} satisfies Record<Words['engine'], string[]>
