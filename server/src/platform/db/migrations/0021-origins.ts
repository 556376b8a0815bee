import { bothEngines } from './words.ts'

/** Who made a change, null if it was the service or is not known; and the order that caused a stock event. */
export const origins = bothEngines('origins', ({ integer }) => [
  `ALTER TABLE events ADD COLUMN order_id ${integer}`,
  `ALTER TABLE events ADD COLUMN by_key_id ${integer}`,
  `ALTER TABLE stock_movements ADD COLUMN by_key_id ${integer}`,
  `ALTER TABLE order_history ADD COLUMN by_key_id ${integer}`,
])
