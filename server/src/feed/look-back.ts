import { ApiError } from '../api/errors.ts'
import type { Queryable } from '../db/database.ts'
import { readLogBackwards } from '../events/log.ts'
import { disorderMs, end, type Position, parseEventId } from '../events/position.ts'
import { findPositionAfter } from '../events/position-at.ts'
import type { EventRow } from '../events/types.ts'
import { batchSize, type Page, readMax, type Wanted } from './read.ts'

/** Reads a page of visible events, newest first. Reads a bounded number, so a page may have fewer than there are. */
export async function lookBack(
  db: Queryable,
  after: string | undefined,
  limit: number,
  { from = -Infinity, to, isVisible }: Wanted,
): Promise<Page> {
  const events: EventRow[] = []
  let position = await startOf(db, after, to)
  for (let read = 0; read < readMax; ) {
    const rows = await readLogBackwards(db, position, batchSize)
    for (const row of rows) {
      if (row.at < from - disorderMs) return { events, position, more: undefined }
      if (events.length === limit && isVisible(row)) return { events, position, more: 'next' }
      if (isVisible(row)) events.push(row)
      position = { tx: row.tx, id: row.id }
    }
    read += rows.length
    if (rows.length < batchSize) return { events, position, more: undefined }
  }
  return { events, position, more: 'next' }
}

/** The position before which to read: that of an event, or the end of the time range. */
async function startOf(db: Queryable, after: string | undefined, to: number | undefined): Promise<Position> {
  if (after === undefined || after === 'latest') return to === undefined ? end : findPositionAfter(db, to + disorderMs)
  const position = parseEventId(after)
  if (!position) throw new ApiError('invalid_cursor', 'This is not an event id.')
  return position
}
