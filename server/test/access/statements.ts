import type { Service } from '../harness/service.ts'

/** Stands for a statement over the connections of the counters. */
export const batchOfCounters = 'a batch for the shared counters'

/** The statements that requests send to the database while `work` is done, transactions of theirs included. */
async function statementsOf(service: Service, work: () => Promise<unknown>): Promise<string[]> {
  const { db } = service.context
  const { query, transaction } = db
  const seen: string[] = []
  const batchesBefore = batchesOf(service)
  const counted: typeof query = (sql, params) => {
    seen.push(sql)
    return query(sql, params)
  }
  const spied: typeof transaction = (task, allowed) =>
    transaction((tx) => {
      const inside: typeof tx.query = (sql, params) => {
        seen.push(sql)
        return tx.query(sql, params)
      }
      const sent: typeof tx.send = (sql, params) => {
        seen.push(sql)
        tx.send(sql, params)
      }
      const drawn: typeof tx.nextId = (table) => {
        seen.push(`the next id of ${table}`)
        return tx.nextId(table)
      }
      return task({ ...tx, query: inside, send: sent, nextId: drawn })
    }, allowed)
  Object.assign(db, { query: counted, transaction: spied })
  try {
    await work()
  } finally {
    Object.assign(db, { query, transaction })
  }
  const shared = Array.from({ length: batchesOf(service) - batchesBefore }, () => batchOfCounters)
  return [...seen.filter((sql) => !isBackground(sql)), ...shared]
}

/** The least that `work` costs when it is done again and again: news of a key on its way has the key looked up once more. */
export async function leastStatementsOf(service: Service, work: () => Promise<unknown>, times = 11): Promise<string[]> {
  let least = await statementsOf(service, work)
  for (let again = 1; again < times; again++) {
    const next = await statementsOf(service, work)
    if (next.length < least.length) least = next
  }
  return least
}

/** What the service does without a request: looking for changes of keys, writing what was counted, adding up counts of pets. */
const isBackground = (sql: string) =>
  /key_changes|usage_(hours|days)|SET last_used_at|rate_counters|DELETE FROM pet_count_changes|INSERT INTO pet_counts /.test(
    sql,
  )

const batchesOf = ({ context }: Service): number =>
  Number(/^petstore_limiter_batches_total (\d+)$/m.exec(context.metrics.render())?.[1] ?? 0)
