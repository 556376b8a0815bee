import type { Service } from '../../harness/service.ts'

/** Stands for a statement on the connections of the shared counters. */
export const batchOfCounters = 'a batch for the shared counters'

/** Records the statements of requests during `work`, including those in transactions. */
async function recordStatements(service: Service, work: () => Promise<unknown>): Promise<string[]> {
  const { db, directory } = service.context
  // After a pause of the process, keys would be looked up again until the next check for changes.
  await directory.refresh()
  const { query, find, transaction } = db
  const seen: string[] = []
  const batchesBefore = await batchesOf(service)
  const recordQuery: typeof query = (sql, params) => {
    seen.push(sql)
    return query(sql, params)
  }
  const recordFind: typeof find = (select, id) => {
    seen.push(`${select} = $1`)
    return find(select, id)
  }
  const recordTransaction: typeof transaction = (task, ...conditions) =>
    transaction(
      (tx) => {
        const recordTxQuery: typeof tx.query = (sql, params) => {
          seen.push(sql)
          return tx.query(sql, params)
        }
        const recordSend: typeof tx.send = (sql, params) => {
          seen.push(sql)
          tx.send(sql, params)
        }
        const recordInsert: typeof tx.insert = (insert, rows) => {
          if (rows.length > 0) seen.push(`insert into ${insert.table}`)
          tx.insert(insert, rows)
        }
        const recordAdd: typeof tx.add = (count, id, by) => {
          seen.push(`add to ${count.table}`)
          tx.add(count, id, by)
        }
        const recordLock: typeof tx.lock = (lock, id) => {
          const wait = tx.dialect.lockRows(lock.table, '= $1')
          if (wait !== undefined) seen.push(wait)
          seen.push(`${lock.select} = $1`)
          return tx.lock(lock, id)
        }
        const recordNextId: typeof tx.nextId = (table) => {
          seen.push(`the next id of ${table}`)
          return tx.nextId(table)
        }
        return task({
          ...tx,
          query: recordTxQuery,
          send: recordSend,
          insert: recordInsert,
          add: recordAdd,
          lock: recordLock,
          nextId: recordNextId,
        })
      },
      ...conditions,
    )
  Object.assign(db, { query: recordQuery, find: recordFind, transaction: recordTransaction })
  try {
    await work()
  } finally {
    Object.assign(db, { query, find, transaction })
  }
  const shared = Array.from({ length: (await batchesOf(service)) - batchesBefore }, () => batchOfCounters)
  return [...seen.filter((sql) => !isBackground(sql)), ...shared]
}

/** The fewest statements of several runs: a late notification about a key causes one more lookup. */
export async function leastStatementsOf(service: Service, work: () => Promise<unknown>, times = 11): Promise<string[]> {
  let least = await recordStatements(service, work)
  for (let run = 1; run < times; run++) {
    const next = await recordStatements(service, work)
    if (next.length < least.length) least = next
  }
  return least
}

/** Background work: polling for key changes, writing usage and counters, adding up pet counts. */
const isBackground = (sql: string) =>
  /key_changes|usage_(hours|days)|SET last_used_at|rate_counters|DELETE FROM (?:pet|shop)_count_changes|INSERT INTO (?:pet|shop)_counts /.test(
    sql,
  )

const batchesOf = async ({ context }: Service): Promise<number> =>
  Number(/^petstore_limiter_batches_total (\d+)$/m.exec(await context.metrics.render())?.[1] ?? 0)
