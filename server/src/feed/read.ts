import { ApiError } from '../api/errors.ts'
import type { Queryable } from '../db/database.ts'
import type { EventRow } from '../db/tables.ts'
import { endOfLog, findEvents, prunedUpTo, readLog } from '../events/log.ts'
import { startOfTimeline } from '../events/numbering.ts'
import { isBefore, type Place, placeOf } from '../events/place.ts'

const batchSize = 500
/** The most events read for one page, however few of them are visible. */
const readMax = 2_500

/** The position to read from: after an event, or after all events so far. */
export async function positionAfter(db: Queryable, after: string): Promise<Place> {
  if (after === 'latest') return endOfLog(db)
  const position = placeOf(after)
  if (!position) throw new ApiError('invalid_cursor', 'This is not an event id.')
  if (!(await findEvents(db, [after])).has(after)) await mustBeComplete(db, position)
  return position
}

/** For a position whose event is not in the log: throws unless the log still has everything recorded after that event. */
async function mustBeComplete(db: Queryable, position: Place): Promise<void> {
  const pruned = await prunedUpTo(db)
  mustNotBePruned(position, pruned)
  const isLastPruned = !isBefore(pruned, position)
  // The event was lost in a failover or a restore. Later events have higher numbers, unless the server kept its timeline.
  if (isLastPruned || position.tx < (await startOfTimeline(db))) return
  throw new ApiError(
    'events_pruned',
    'This event no longer exists: the database was restored to an earlier state, and the events recorded since then are lost.',
  )
}

function mustNotBePruned(position: Place, pruned: Place): void {
  if (isBefore(position, pruned)) throw new ApiError('events_pruned')
}

/** Reads events after a position. Throws if events that the reader has not seen were pruned. */
export async function readAfter(db: Queryable, position: Place, limit: number): Promise<EventRow[]> {
  const rows = await readLog(db, position, limit)
  // Checked afterwards: events pruned meanwhile are missing from the rows.
  mustNotBePruned(position, await prunedUpTo(db))
  return rows
}

export interface Page {
  readonly events: EventRow[]
  /** Everything up to this position was read. */
  readonly position: Place
  /** Whether there may be more to read now. */
  readonly hasMore: boolean
}

/** Reads a page of visible events after a position. Reads a bounded number, so a page may have fewer than there are. */
export async function readPage(
  db: Queryable,
  after: Place,
  limit: number,
  isVisible: (event: EventRow) => boolean,
): Promise<Page> {
  const events: EventRow[] = []
  let position = after
  for (let read = 0; read < readMax; ) {
    const rows = await readAfter(db, position, batchSize)
    for (const row of rows) {
      // One more than fits, so there is another page.
      if (events.length === limit && isVisible(row)) return { events, position, hasMore: true }
      if (isVisible(row)) events.push(row)
      position = { tx: row.tx, id: row.id }
    }
    read += rows.length
    if (rows.length < batchSize) return { events, position, hasMore: false }
  }
  return { events, position, hasMore: true }
}
