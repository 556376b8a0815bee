import { bothEngines, type Words } from '../../platform/db/migrations/words.ts'
import { countTables, countTriggers } from './0001-counts.ts'

const countMax = 1_000_000_000

/**
 * Finds rows by three parts of their name, of three letters each. A trigram index needs a bitmap scan, which read sessions disable; the
 * routine enables it.
 */
const holdingRoutine = (table: string) => `
CREATE FUNCTION petstore_${table}_holding(one text, two text, three text, most bigint) RETURNS SETOF bigint LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = on
AS $$ SELECT id FROM ${table} WHERE name_folded LIKE one AND name_folded LIKE two AND name_folded LIKE three LIMIT most $$`

const catalogue = ({ id, integer, text, tableOptions, substringIndex, routine }: Words) => [
  `CREATE TABLE categories (
    id ${id},
    name ${text} NOT NULL,
    name_folded ${text} NOT NULL,
    description ${text}
  ) ${tableOptions}`,
  'CREATE INDEX categories_by_name ON categories (name, id)',
  ...substringIndex('categories', 'name_folded'),
  ...routine(holdingRoutine('categories')),

  `CREATE TABLE pets (
    id ${id},
    name ${text} NOT NULL,
    name_folded ${text} NOT NULL,
    category_id ${integer} NOT NULL REFERENCES categories (id),
    status ${text} NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
    held ${integer} NOT NULL DEFAULT 0 CHECK (held IN (0, 1))
  ) ${tableOptions}`,
  'CREATE INDEX pets_by_name ON pets (name, id)',
  'CREATE INDEX pets_by_category ON pets (category_id, id)',
  'CREATE INDEX pets_by_status ON pets (status, id)',
  // Pets of a category or a status by name: without these indexes, every page would read and sort all of them.
  'CREATE INDEX pets_by_category_and_name ON pets (category_id, name, id)',
  'CREATE INDEX pets_by_status_and_name ON pets (status, name, id)',
  ...substringIndex('pets', 'name_folded'),
  ...routine(holdingRoutine('pets')),
]

const stock = ({ idInKey, integer, text, tableOptions, key }: Words) => [
  // No index by quantity: in a shop that has sold much, most quantities are zero, so a page below a count fills quickly, and every order
  // would have to change the index.
  `CREATE TABLE inventory (
    pet_id ${integer} PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
    quantity ${integer} NOT NULL CHECK (quantity BETWEEN 0 AND ${countMax})
  ) ${tableOptions}`,

  // Up to one row: without it, every setting has its default.
  `CREATE TABLE shop_settings (
    one ${integer} PRIMARY KEY CHECK (one = 1),
    low_stock_max ${integer} NOT NULL CHECK (low_stock_max BETWEEN 0 AND 1000000)
  ) ${tableOptions}`,

  // `by_key_id` made the change: null if it was the service.
  `CREATE TABLE stock_movements (
    id ${idInKey},
    pet_id ${integer} NOT NULL,
    delta ${integer} NOT NULL CHECK (delta BETWEEN -${countMax} AND ${countMax}),
    cause ${text} NOT NULL CHECK (cause IN
      ('registered', 'set', 'adjusted', 'removed', 'ordered', 'order changed', 'cancelled', 'archived')),
    order_id ${integer},
    reason ${text},
    at ${integer} NOT NULL,
    by_key_id ${integer}
  ) ${tableOptions}`,
  // The stock movements of a pet by time, for any causes: a page combines one page per cause, so no second index is needed.
  key('stock_movements_by_cause', 'stock_movements (pet_id, cause, at, id)'),
]

const orders = ({ id, idInKey, integer, text, tableOptions, changingTableOptions, key }: Words) => [
  // No foreign key to pets: complete orders outlive their pet.
  `CREATE TABLE orders (
    id ${id},
    key_id ${integer} NOT NULL,
    pet_id ${integer} NOT NULL,
    quantity ${integer} NOT NULL CHECK (quantity BETWEEN 1 AND 10000),
    ship_date ${integer},
    complete ${integer} NOT NULL CHECK (complete IN (0, 1)),
    created_at ${integer} NOT NULL
  ) ${changingTableOptions}`,
  // Open and complete orders have separate indexes, because a shop reads the few open ones most. Two conditions are written in an unusual
  // way: given `complete = 0`, the planner could otherwise use an index of everyone's orders for those of one key or pet.
  'CREATE INDEX orders_by_time ON orders (created_at, id)',
  'CREATE INDEX orders_open ON orders (id) WHERE complete * 1 = 0',
  ...[0, 1].flatMap((complete) => {
    const state = complete === 0 ? 'open' : 'complete'
    return [
      `CREATE INDEX orders_${state}_by_key ON orders (key_id, id) WHERE complete = ${complete}`,
      `CREATE INDEX orders_${state}_by_pet ON orders (pet_id, id) WHERE complete = ${complete}`,
      `CREATE INDEX orders_${state}_by_ship_date ON orders (ship_date, id) WHERE complete + 0 = ${complete} AND ship_date IS NOT NULL`,
    ]
  }),

  // No foreign key to orders: the history outlives a cancelled order. `by_key_id` made the change: null if it was the service.
  `CREATE TABLE order_history (
    id ${idInKey},
    order_id ${integer} NOT NULL,
    key_id ${integer} NOT NULL,
    kind ${text} NOT NULL CHECK (kind IN ('placed', 'changed', 'completed', 'cancelled')),
    changes ${text} NOT NULL,
    at ${integer} NOT NULL,
    by_key_id ${integer}
  ) ${tableOptions}`,
  key('order_history_by_order', 'order_history (order_id, id)'),

  // One row per file of archived orders: its checksum, and how many rows were moved into it.
  `CREATE TABLE order_archives (
    id ${id},
    sha256 ${text} NOT NULL,
    orders ${integer} NOT NULL,
    history ${integer} NOT NULL,
    movements ${integer} NOT NULL,
    at ${integer} NOT NULL
  ) ${tableOptions}`,
]

export const shopTables = bothEngines('shop', (words) => [
  ...catalogue(words),
  ...stock(words),
  ...orders(words),
  ...countTables(words),
  ...countTriggers[words.engine],
])
