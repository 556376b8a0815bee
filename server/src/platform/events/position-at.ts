import type { Queryable } from '../db/database.ts'
import { beginning, end, type Position } from './position.ts'

type DatedPosition = Position & { at: number }

// The log has no index on times, so a time is found by binary search on ids. Ids are in the order of times except for the few seconds that
// a transaction lasts, so pass a `time` that is earlier, or later, by that much.

/** A position before every event from `time` on. */
export const findPositionBefore = async (db: Queryable, time: number): Promise<Position> =>
  (await findNeighbours(db, time)).last

/** A position after every event before `time`. */
export const findPositionAfter = async (db: Queryable, time: number): Promise<Position> =>
  (await findNeighbours(db, time)).first

/** By id, the last event before a time and the first event from it on. */
async function findNeighbours(db: Queryable, time: number): Promise<{ last: Position; first: Position }> {
  let last: Position = beginning
  let first: Position = end
  let [low, high] = await idBounds(db)
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const [found] = await db.query<DatedPosition>('SELECT tx, id, at FROM events WHERE id >= $1 ORDER BY id LIMIT 1', [
      middle,
    ])
    if (found && found.at < time) {
      last = { tx: found.tx, id: found.id }
      low = found.id + 1
    } else {
      if (found) first = { tx: found.tx, id: found.id }
      high = middle - 1
    }
  }
  return { last, first }
}

async function idBounds(db: Queryable): Promise<[low: number, high: number]> {
  // SQLite takes a minimum or a maximum from an index only if a SELECT has no other.
  const [row] = await db.query<{ low: number | null; high: number | null }>(
    'SELECT (SELECT min(id) FROM events) AS low, (SELECT max(id) FROM events) AS high',
  )
  return [row?.low ?? 1, row?.high ?? 0]
}
