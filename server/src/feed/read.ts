import { ApiError } from '../api/errors.ts'
import type { Queryable } from '../db/database.ts'
import { findEvents, findLogEnd, findPrunedPosition, readLog } from '../events/log.ts'
import { findTimelineStart } from '../events/numbering.ts'
import { isBefore, type Position, parseEventId } from '../events/position.ts'
import type { EventRow } from '../events/types.ts'

const rowsAtOnce = 500
/** So many events are read for one page at most, however few of them it shows. */
const readMax = 2_500

/** The place from which on a client wants to read: behind an event, or behind all there are now. */
export async function placeAfter(db: Queryable, after: string): Promise<Position> {
  if (after === 'latest') return findLogEnd(db)
  const place = parseEventId(after)
  if (!place) throw new ApiError('invalid_cursor', 'This is not the id of an event.')
  if (!(await findEvents(db, [after])).has(after)) await refuseUnlessContinued(db, place)
  return place
}

/** Of a place whose event is not in the log: refuses it unless all that was recorded after the event comes behind the place. */
async function refuseUnlessContinued(db: Queryable, place: Position): Promise<void> {
  const pruned = await findPrunedPosition(db)
  refusePruned(place, pruned)
  const isLastPruned = !isBefore(pruned, place)
  // Lost by a failover or a restore. What was recorded since then has higher numbers, unless the server kept its timeline.
  if (isLastPruned || place.tx < (await findTimelineStart(db))) return
  throw new ApiError(
    'events_pruned',
    'The log does not have this event: the database was set back to a state before it, and what it had recorded since then is lost.',
  )
}

function refusePruned(place: Position, pruned: Position): void {
  if (isBefore(place, pruned)) throw new ApiError('events_pruned')
}

/** Events behind a place. Refuses to read on from where events were pruned that the reader has not seen. */
export async function readBehind(db: Queryable, place: Position, limit: number): Promise<EventRow[]> {
  const rows = await readLog(db, place, limit)
  // Looked at afterwards: what was pruned meanwhile is missing from the rows.
  refusePruned(place, await findPrunedPosition(db))
  return rows
}

export interface Page {
  readonly events: EventRow[]
  /** Up to where everything was looked at. */
  readonly place: Position
  /** Whether there may be more to read now. */
  readonly hasMore: boolean
}

/** Events behind a place that somebody sees. A bounded number is read, so a page may hold fewer than there are. */
export async function readPage(
  db: Queryable,
  after: Position,
  limit: number,
  sees: (event: EventRow) => boolean,
): Promise<Page> {
  const events: EventRow[] = []
  let place = after
  for (let read = 0; read < readMax; ) {
    const rows = await readBehind(db, place, rowsAtOnce)
    for (const row of rows) {
      // One more than fits: so there is another page.
      if (events.length === limit && sees(row)) return { events, place, hasMore: true }
      if (sees(row)) events.push(row)
      place = { tx: row.tx, id: row.id }
    }
    read += rows.length
    if (rows.length < rowsAtOnce) return { events, place, hasMore: false }
  }
  return { events, place, hasMore: true }
}
