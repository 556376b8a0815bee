import type { Database, Queryable, Transaction } from '../../db/database.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { nameStatement } from '../database-metrics.ts'
import type { Tracer } from './tracer.ts'

/** The same database, with a span for each statement, transaction and commit. Spans contain the SQL, but no values. */
export function traceDatabase(db: Database, tracer: Tracer): Database {
  const { engine } = db.dialect
  const traceStatement = <T>(sql: string, run: () => Awaitable<T>): Awaitable<T> => {
    const attributes = { 'db.system.name': engine === 'postgres' ? 'postgresql' : engine, 'db.query.text': sql }
    return tracer.run({ name: nameStatement(sql), kind: 'client', attributes }, run)
  }
  const traceQueries =
    (on: Queryable): Queryable['query'] =>
    (sql, params) =>
      traceStatement(sql, () => on.query(sql, params))

  const traceTransactions =
    (transaction: Database['transaction']): Database['transaction'] =>
    async (work, ...conditions) =>
      tracer.run({ name: 'transaction', kind: 'internal' }, async (span) => {
        const commit: { end?: () => void } = {}
        const done = (tx: Transaction) => {
          const traced: Transaction = {
            ...tx,
            trace: span.traceparent,
            query: traceQueries(tx),
            send(sql, params) {
              // Sent together with the commit, so it has no duration of its own.
              span.note(nameStatement(sql))
              tx.send(sql, params)
            },
            insert(insert, rows) {
              span.note(`INSERT ${insert.table}`)
              tx.insert(insert, rows)
            },
            add(count, id, by) {
              span.note(`UPDATE ${count.table}`)
              tx.add(count, id, by)
            },
          }
          // On SQLite, all writes that share a commit run in the async context of the first one.
          return tracer.within(span, async () => {
            const value = await work(traced)
            commit.end = tracer.start({ name: 'COMMIT', kind: 'client' }).end
            return value
          }) as Awaitable<never>
        }
        try {
          return await transaction(done, ...conditions)
        } finally {
          commit.end?.()
        }
      }) as Promise<never>

  return {
    ...db,
    query: traceQueries(db),
    find: (select, id) => traceStatement(`${select} = $1`, () => db.find(select, id)),
    aside: { ...db.aside, query: traceQueries(db.aside) },
    transaction: traceTransactions(db.transaction),
    urgently: traceTransactions(db.urgently),
  }
}
