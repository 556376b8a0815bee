import type { Migration } from '../migration.ts'
import { bothEngines } from './words.ts'

const history = bothEngines('order history', ({ id, integer, text, tableOptions }) => [
  // No foreign key to orders: the history of a cancelled order stays.
  `CREATE TABLE order_history (
    id ${id},
    order_id ${integer} NOT NULL,
    key_id ${integer} NOT NULL,
    kind ${text} NOT NULL CHECK (kind IN ('placed', 'changed', 'completed', 'cancelled')),
    changes ${text} NOT NULL,
    at ${integer} NOT NULL
  ) ${tableOptions}`,
  'CREATE INDEX order_history_by_order ON order_history (order_id, id)',

  // Of orders that are there it is known who placed them when, and from the ledger for how many.
  `INSERT INTO order_history (order_id, key_id, kind, changes, at)
   SELECT id, key_id, 'placed', '{"petId":{"to":' || pet_id || '},"quantity":{"to":' || coalesce(
     (SELECT -m.delta FROM stock_movements m WHERE m.pet_id = orders.pet_id AND m.cause = 'ordered'
        AND m.at = orders.created_at AND m.order_id = orders.id), quantity) || '}}', created_at
   FROM orders ORDER BY id`,
])

export const orderHistory: Migration = {
  ...history,
  // Orders by the time they were placed and by ship date. Open orders and complete ones have their places in each, since the few
  // open ones are what a shop asks for most. Those of everyone have it as an expression: a planner that is told that `complete` is
  // equal would else read the orders of one key from them, past those of all others.
  buildIndexes: {
    orders_by_time: 'orders ((complete + 0), created_at, id)',
    orders_by_key_and_time: 'orders (key_id, complete, created_at, id)',
    orders_by_ship_date: 'orders ((complete + 0), ship_date, id)',
    orders_by_key_and_ship_date: 'orders (key_id, complete, ship_date, id)',
  },
}
