import { ApiError, apiErrors } from '../api/errors.ts'
import type { Queryable } from '../db/database.ts'
import { findEvents, findLogEnd, findPrunedPosition, readLog, readLogBackwards } from '../events/log.ts'
import { findTimelineStart } from '../events/numbering.ts'
import { disorderMs, end, isBefore, type Position, parseEventId } from '../events/position.ts'
import { findPositionAfter, findPositionBefore } from '../events/position-at.ts'
import type { EventRow } from '../events/types.ts'
import { fillPage, type Page, type Wanted } from './fill-page.ts'
import { feedErrors } from './operations.ts'

function mustParseEventId(eventId: string): Position {
  const position = parseEventId(eventId)
  if (!position) {
    throw new ApiError(apiErrors.invalid_cursor, `"${eventId}" is not the id of an event.`, {
      advice: 'Use the `id` of an event, or the URL in a `Link` header.',
    })
  }
  return position
}

/** The position to read from: after an event, or after all events so far. */
export async function positionAfter(db: Queryable, after: string): Promise<Position> {
  if (after === 'latest') return findLogEnd(db)
  const position = mustParseEventId(after)
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
    feedErrors.events_pruned,
    'There is no such event. Either the id is wrong, or the event was lost because the database was restored to an earlier state.',
    {
      advice:
        'Check the id. If it is one you received, you may have missed events: read the resources again, then continue with `after=latest`.',
    },
  )
}

function mustNotBePruned(position: Position, pruned: Position): void {
  if (isBefore(position, pruned)) throw new ApiError(feedErrors.events_pruned)
}

/** Reads events after a position. Throws if events that the reader has not seen were pruned. */
export async function readAfter(db: Queryable, position: Position, limit: number): Promise<EventRow[]> {
  const rows = await readLog(db, position, limit)
  // Checked afterwards: events pruned meanwhile are missing from the rows.
  mustNotBePruned(position, await findPrunedPosition(db))
  return rows
}

/** Reads a page of visible events, oldest first. */
export async function readOn(
  db: Queryable,
  after: string | undefined,
  limit: number,
  { from, to = Infinity, isVisible }: Wanted,
): Promise<Page> {
  const start = after === undefined ? await startOf(db, from) : await positionAfter(db, after)
  const read = (position: Position, count: number) => readAfter(db, position, count)
  const isPastRange = ({ at }: EventRow) => at >= to + disorderMs
  return fillPage({ start, limit, read, isPastRange, isVisible, atEnd: 'monitor' })
}

/** The oldest position from which the log is complete, or a later one before the time range. */
async function startOf(db: Queryable, from: number | undefined): Promise<Position> {
  const pruned = await findPrunedPosition(db)
  const before = from === undefined ? pruned : await findPositionBefore(db, from - disorderMs)
  return isBefore(before, pruned) ? pruned : before
}

/** Reads a page of visible events, newest first. */
export async function lookBack(
  db: Queryable,
  after: string | undefined,
  limit: number,
  { from = -Infinity, to, isVisible }: Wanted,
): Promise<Page> {
  const start = await endOf(db, after, to)
  const read = (position: Position, count: number) => readLogBackwards(db, position, count)
  const isPastRange = ({ at }: EventRow) => at < from - disorderMs
  return fillPage({ start, limit, read, isPastRange, isVisible, atEnd: undefined })
}

/** The position before which to read: that of an event, or the end of the time range. */
async function endOf(db: Queryable, after: string | undefined, to: number | undefined): Promise<Position> {
  if (after === undefined || after === 'latest') return to === undefined ? end : findPositionAfter(db, to + disorderMs)
  return mustParseEventId(after)
}
