import { released } from './migrations/released.ts'
import type { SessionSettings } from './postgres-session.ts'

/**
 * For every session. The server ends a statement or an idle transaction after `timeoutMs`; 0 is never. No statement runs long enough to
 * be worth compiling, whatever the planner estimates. The schema refuses writes of programs that are too old or do not report their
 * version.
 */
export const sessionSettings = (timeoutMs: number): SessionSettings => ({
  statement_timeout: String(timeoutMs),
  idle_in_transaction_session_timeout: String(timeoutMs),
  jit: 'off',
  'petstore.program': String(released.length),
})

/**
 * For sessions that only read. Every list has an index in its order, so a page reads only the rows it needs. With old or missing
 * statistics the planner expects few rows, and would read and sort all matches, or scan a whole table.
 */
export const indexesOnly: SessionSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}
