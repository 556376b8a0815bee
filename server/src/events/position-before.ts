import type { Queryable } from '../db/database.ts'
import { beginning, type Position } from './position.ts'

type DatedPosition = Position & { at: number }

/**
 * A position before every event from `time` on. Found by binary search on ids, since the log has no index on times. Ids follow
 * times only up to the few seconds a transaction lasts, so pass a `time` that is earlier by that much.
 */
export async function findPositionBefore(db: Queryable, time: number): Promise<Position> {
  let last: Position = beginning
  let [low, high] = await idBounds(db)
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const [found] = await db.query<DatedPosition>('SELECT tx, id, at FROM events WHERE id >= $1 ORDER BY id LIMIT 1', [
      middle,
    ])
    if (found && found.at < time) {
      last = { tx: found.tx, id: found.id }
      low = found.id + 1
    } else high = middle - 1
  }
  return last
}

async function idBounds(db: Queryable): Promise<[low: number, high: number]> {
  const [row] = await db.query<{ low: number | null; high: number | null }>(
    'SELECT min(id) AS low, max(id) AS high FROM events',
  )
  return [row?.low ?? 1, row?.high ?? 0]
}
