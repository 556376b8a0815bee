import { released } from './migrations/released.ts'
import type { SessionSettings } from './postgres-session.ts'

/**
 * Every session: the server itself ends a statement, and a transaction left alone, after `timeoutMs`; 0 is never. Nothing the
 * service sends runs long enough to be worth compiling, whatever the planner thinks that it costs. The schema refuses writes of
 * programs that are too old, or do not say how old they are.
 */
export const sessionSettings = (timeoutMs: number): SessionSettings => ({
  statement_timeout: String(timeoutMs),
  idle_in_transaction_session_timeout: String(timeoutMs),
  jit: 'off',
  'petstore.program': String(released.length),
})

/**
 * Sessions that only read. Every list has an index in its order, and reads as many rows as a page needs. Where statistics are old or
 * missing, a planner that expects a few rows would rather read all that match and sort them, or a whole table beside another.
 */
export const indexesOnly: SessionSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}
