import type { Queryable } from '../db/database.ts'
import { readLogBackwards } from '../events/log.ts'
import { disorderMs, end, type Position } from '../events/position.ts'
import { findPositionAfter } from '../events/position-at.ts'
import type { EventRow } from '../events/types.ts'
import { fillPage, type Page, type Wanted } from './fill-page.ts'
import { mustParseEventId } from './read.ts'

/** Reads a page of visible events, newest first. */
export async function lookBack(
  db: Queryable,
  after: string | undefined,
  limit: number,
  { from = -Infinity, to, isVisible }: Wanted,
): Promise<Page> {
  const start = await startOf(db, after, to)
  const read = (position: Position, count: number) => readLogBackwards(db, position, count)
  const isPastRange = ({ at }: EventRow) => at < from - disorderMs
  return fillPage({ start, limit, read, isPastRange, isVisible, atEnd: undefined })
}

/** The position before which to read: that of an event, or the end of the time range. */
async function startOf(db: Queryable, after: string | undefined, to: number | undefined): Promise<Position> {
  if (after === undefined || after === 'latest') return to === undefined ? end : findPositionAfter(db, to + disorderMs)
  return mustParseEventId(after)
}
