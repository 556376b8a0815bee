import { bothEngines } from './words.ts'

export const store = bothEngines('store', ({ id, integer, text, tableOptions }) => [
  `CREATE TABLE inventory (
    pet_id ${integer} PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
    quantity ${integer} NOT NULL CHECK (quantity >= 0)
  ) ${tableOptions}`,
  'CREATE INDEX inventory_by_quantity ON inventory (quantity, pet_id)',

  // No foreign key to pets: complete orders outlive their pet.
  `CREATE TABLE orders (
    id ${id},
    key_id ${integer} NOT NULL,
    pet_id ${integer} NOT NULL,
    quantity ${integer} NOT NULL CHECK (quantity BETWEEN 1 AND 10000),
    ship_date ${integer},
    complete ${integer} NOT NULL CHECK (complete IN (0, 1)),
    created_at ${integer} NOT NULL
  ) ${tableOptions}`,
  'CREATE INDEX orders_by_key ON orders (key_id, id)',
  'CREATE INDEX orders_by_pet ON orders (pet_id, id)',
  // Open orders are few, and what a shop reads most.
  'CREATE INDEX orders_open ON orders (id) WHERE complete = 0',
  'CREATE INDEX orders_open_by_key ON orders (key_id, id) WHERE complete = 0',
  'CREATE INDEX orders_open_by_pet ON orders (pet_id) WHERE complete = 0',

  `CREATE TABLE stock_movements (
    id ${id},
    pet_id ${integer} NOT NULL,
    delta ${integer} NOT NULL,
    cause ${text} NOT NULL CHECK (cause IN
      ('registered', 'set', 'adjusted', 'removed', 'ordered', 'order changed', 'cancelled')),
    order_id ${integer},
    reason ${text},
    at ${integer} NOT NULL
  ) ${tableOptions}`,
  'CREATE INDEX stock_movements_by_pet ON stock_movements (pet_id, id)',
])
