import type { Migration } from '../migration.ts'
import { bothEngines } from './words.ts'

const history = bothEngines('order history', ({ id, integer, text, tableOptions }) => [
  // No foreign key to orders: the history outlives a cancelled order.
  `CREATE TABLE order_history (
    id ${id},
    order_id ${integer} NOT NULL,
    key_id ${integer} NOT NULL,
    kind ${text} NOT NULL CHECK (kind IN ('placed', 'changed', 'completed', 'cancelled')),
    changes ${text} NOT NULL,
    at ${integer} NOT NULL
  ) ${tableOptions}`,
  'CREATE INDEX order_history_by_order ON order_history (order_id, id)',

  // For existing orders it is known who placed them and when, and from the ledger for how many.
  `INSERT INTO order_history (order_id, key_id, kind, changes, at)
   SELECT id, key_id, 'placed', '{"petId":{"to":' || pet_id || '},"quantity":{"to":' || coalesce(
     (SELECT -m.delta FROM stock_movements m WHERE m.pet_id = orders.pet_id AND m.cause = 'ordered'
        AND m.at = orders.created_at AND m.order_id = orders.id), quantity) || '}}', created_at
   FROM orders ORDER BY id`,
])

export const orderHistory: Migration = {
  ...history,
  // Orders by time and by ship date, with open and complete ones separate in each index, because a shop reads the few open ones most.
  // The indexes for everyone use an expression: given `complete = ?`, the planner could otherwise use them for the orders of one key
  // and scan those of all others.
  buildIndexes: {
    orders_by_time: 'orders ((complete + 0), created_at, id)',
    orders_by_key_and_time: 'orders (key_id, complete, created_at, id)',
    orders_by_ship_date: 'orders ((complete + 0), ship_date, id)',
    orders_by_key_and_ship_date: 'orders (key_id, complete, ship_date, id)',
  },
}
