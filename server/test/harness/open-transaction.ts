import { SQL } from 'bun'

/** A transaction of a stranger on PostgreSQL, which has begun to write. It delays readers of events in all databases of the server. */
export async function openTransaction(url = process.env.TEST_DATABASE_URL ?? ''): Promise<AsyncDisposable> {
  const sql = new SQL(url, { max: 1 })
  await sql.unsafe('BEGIN')
  await sql.unsafe('SELECT pg_current_xact_id()')
  return { [Symbol.asyncDispose]: () => sql.close({ timeout: 0 }) }
}
