import { ApiError } from '../api/errors.ts'
import type { Queryable } from '../db/database.ts'
import { findEvents, findLogEnd, findPrunedPosition, readLog } from '../events/log.ts'
import { findTimelineStart } from '../events/numbering.ts'
import { disorderMs, isBefore, type Position, parseEventId } from '../events/position.ts'
import { findPositionBefore } from '../events/position-at.ts'
import type { EventRow } from '../events/types.ts'

export const batchSize = 500
/** The most events read for one page, however few of them are visible. */
export const readMax = 2_500

/** The position to read from: after an event, or after all events so far. */
export async function positionAfter(db: Queryable, after: string): Promise<Position> {
  if (after === 'latest') return findLogEnd(db)
  const position = parseEventId(after)
  if (!position) throw new ApiError('invalid_cursor', 'This is not an event id.')
  if (!(await findEvents(db, [after])).has(after)) await mustBeComplete(db, position)
  return position
}

/** For a position whose event is not in the log: throws unless the log still has everything recorded after that event. */
async function mustBeComplete(db: Queryable, position: Position): Promise<void> {
  const pruned = await findPrunedPosition(db)
  mustNotBePruned(position, pruned)
  const isLastPruned = !isBefore(pruned, position)
  // The event was lost in a failover or a restore. Later events have higher numbers, unless the server kept its timeline.
  if (isLastPruned || position.tx < (await findTimelineStart(db))) return
  throw new ApiError(
    'events_pruned',
    'This event no longer exists: the database was restored to an earlier state, and the events recorded since then are lost.',
  )
}

function mustNotBePruned(position: Position, pruned: Position): void {
  if (isBefore(position, pruned)) throw new ApiError('events_pruned')
}

/** Reads events after a position. Throws if events that the reader has not seen were pruned. */
export async function readAfter(db: Queryable, position: Position, limit: number): Promise<EventRow[]> {
  const rows = await readLog(db, position, limit)
  // Checked afterwards: events pruned meanwhile are missing from the rows.
  mustNotBePruned(position, await findPrunedPosition(db))
  return rows
}

/** Which events to read. */
export interface Wanted {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Whether an event is in the time range, has a wanted type, and may be seen by the caller. */
  readonly isVisible: (event: EventRow) => boolean
}

export interface Page {
  readonly events: EventRow[]
  /** Everything up to this position was read. */
  readonly position: Position
  /** `next`: there may be more now. `monitor`: there may be more later. Undefined: this was the end of the range. */
  readonly more: 'next' | 'monitor' | undefined
}

/** Reads a page of visible events, oldest first. Reads a bounded number, so a page may have fewer than there are. */
export async function readOn(
  db: Queryable,
  after: string | undefined,
  limit: number,
  { from, to = Infinity, isVisible }: Wanted,
): Promise<Page> {
  const events: EventRow[] = []
  let position = after === undefined ? await startOf(db, from) : await positionAfter(db, after)
  for (let read = 0; read < readMax; ) {
    const rows = await readAfter(db, position, batchSize)
    for (const row of rows) {
      if (row.at >= to + disorderMs) return { events, position, more: undefined }
      // One more than fits, so there is another page.
      if (events.length === limit && isVisible(row)) return { events, position, more: 'next' }
      if (isVisible(row)) events.push(row)
      position = { tx: row.tx, id: row.id }
    }
    read += rows.length
    if (rows.length < batchSize) return { events, position, more: 'monitor' }
  }
  return { events, position, more: 'next' }
}

/** The oldest position from which the log is complete, or a later one before the time range. */
async function startOf(db: Queryable, from: number | undefined): Promise<Position> {
  const pruned = await findPrunedPosition(db)
  const before = from === undefined ? pruned : await findPositionBefore(db, from - disorderMs)
  return isBefore(before, pruned) ? pruned : before
}
