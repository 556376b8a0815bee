import { where } from '../db/clauses.ts'
import type { Database, Queryable } from '../db/database.ts'
import { finalFilter, firstInvisible } from './numbering.ts'
import { beginning, eventIdOf, type Position, parseEventId } from './position.ts'
import type { EventRow, TracedEventRow } from './types.ts'

const columns = 'id, tx, type, key_id, cause_id, by_key_id, data, previous, at'

/** Events after a position, in order, without checking who may see them. Takes the same time anywhere in the log. */
export async function readLog(db: Queryable, after: Position, limit: number): Promise<EventRow[]> {
  return db.query(selectAfter(db, columns, limit), [after.tx, after.id])
}

/** Events before a position, newest first. Takes the same time anywhere in the log. */
export async function readLogBackwards(db: Queryable, before: Position, limit: number): Promise<EventRow[]> {
  const conditions = db.dialect.readsByBounds ? ['(tx, id) < ($1, $2)'] : ['tx = $1 AND id < $2', 'tx < $1']
  return db.query(`${selectLog(db, columns, conditions)} ORDER BY tx DESC, id DESC LIMIT ${limit}`, [
    before.tx,
    before.id,
  ])
}

/**
 * SQL for the events after position ($1, $2). PostgreSQL compares both columns at once. SQLite would then scan the whole transaction
 * `$1` each time, so it selects the rest of that transaction and the later ones separately.
 */
export function selectAfter(db: Queryable, columns: string, limit: number): string {
  const conditions = db.dialect.readsByBounds ? ['(tx, id) > ($1, $2)'] : ['tx = $1 AND id > $2', 'tx > $1']
  return `${selectLog(db, columns, conditions)} ORDER BY tx, id LIMIT ${limit}`
}

const selectLog = (db: Queryable, columns: string, conditions: readonly string[]): string =>
  conditions
    .map((condition) => `SELECT ${columns} FROM events WHERE ${condition} AND ${finalFilter(db)}`)
    .join(' UNION ALL ')

/** The position of the last event readers may see or, in an empty log, of the last pruned event. */
export async function findLogEnd(db: Queryable): Promise<Position> {
  const [last] = await db.query<Position>(
    `SELECT tx, id FROM events WHERE ${finalFilter(db)} ORDER BY tx DESC, id DESC LIMIT 1`,
  )
  return last ?? findPrunedPosition(db)
}

/** The position of the last pruned event. */
export async function findPrunedPosition(db: Queryable): Promise<Position> {
  const [pruned] = await db.query<Position>('SELECT pruned_tx AS tx, pruned_id AS id FROM event_log WHERE one = 1')
  return pruned ?? beginning
}

const batchSize = 100
const scanBatchSize = 5_000

/** Events by id, without those that were pruned, with the trace of the request that caused each. */
export async function findEvents(db: Queryable, ids: readonly string[]): Promise<Map<string, TracedEventRow>> {
  const events = new Map<string, TracedEventRow>()
  const numbers = [...new Set(ids.flatMap((id) => parseEventId(id)?.id ?? []))]
  for (let from = 0; from < numbers.length; from += batchSize) {
    const { where: idFilter, params } = where([['id IN (?)', numbers.slice(from, from + batchSize)]])
    const found = await db.query<TracedEventRow>(`SELECT ${columns}, trace FROM events ${idFilter}`, params)
    for (const event of found) events.set(eventIdOf(event), event)
  }
  return events
}

/** The time of the oldest event in the log. */
export async function findOldestTime(db: Queryable): Promise<number | undefined> {
  const [first] = await db.query<{ at: number }>('SELECT at FROM events ORDER BY tx, id LIMIT 1')
  return first?.at
}

/** The time of the oldest event that readers may not see yet. Reads at most one. */
async function findOldestInvisible(db: Queryable): Promise<number | undefined> {
  const start = firstInvisible(db)
  if (start === undefined) return undefined
  const [first] = await db.query<{ at: number }>(`SELECT at FROM events WHERE tx >= ${start} ORDER BY tx, id LIMIT 1`)
  return first?.at
}

/** All events of a type. Reads the whole log in batches: only for commands. */
export async function* scanEvents(db: Queryable, type: string): AsyncGenerator<Pick<EventRow, 'id' | 'data'>> {
  for (let last = 0; ; ) {
    const rows = await db.query<Pick<EventRow, 'id' | 'type' | 'data'>>(
      `SELECT id, type, data FROM events WHERE id > $1 ORDER BY id LIMIT ${scanBatchSize}`,
      [last],
    )
    yield* rows.filter((row) => row.type === type)
    if (rows.length < scanBatchSize) return
    last = rows.at(-1)?.id ?? last
  }
}

/** How long events wait until readers may see them: until every transaction that started earlier has ended. */
export interface Visibility {
  /** As last measured. */
  lagMs(): number
  measure(now: number): Promise<void>
}

export function createVisibility(db: Database): Visibility {
  let lagMs = 0
  return {
    lagMs: () => lagMs,
    async measure(now) {
      lagMs = Math.max(0, now - ((await findOldestInvisible(db)) ?? now))
    },
  }
}
