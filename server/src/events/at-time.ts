import type { Queryable } from '../db/database.ts'
import { beginning, type Place } from './place.ts'

type Found = Place & { at: number }

/**
 * A place before everything that happened at `time` or later. Found by halving the ids, since the log has no index of times: ids
 * follow times but for the seconds that a transaction lasts, and `time` should be that much earlier than what is looked for.
 */
export async function placeBefore(db: Queryable, time: number): Promise<Place> {
  let last: Place = beginning
  let [low, high] = await bounds(db)
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const [found] = await db.query<Found>('SELECT tx, id, at FROM events WHERE id >= $1 ORDER BY id LIMIT 1', [middle])
    if (found && found.at < time) {
      last = { tx: found.tx, id: found.id }
      low = found.id + 1
    } else high = middle - 1
  }
  return last
}

async function bounds(db: Queryable): Promise<[low: number, high: number]> {
  const [row] = await db.query<{ low: number | null; high: number | null }>(
    'SELECT min(id) AS low, max(id) AS high FROM events',
  )
  return [row?.low ?? 1, row?.high ?? 0]
}
