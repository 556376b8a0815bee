import type { Position } from '../events/position.ts'
import type { EventRow } from '../events/types.ts'

const batchSize = 500
/** The most events read for one page, however few of them are visible. */
const readMax = 2_500

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

interface Scan extends Pick<Wanted, 'isVisible'> {
  readonly start: Position
  readonly limit: number
  /** Reads events from a position on, in the order of the page. */
  readonly read: (position: Position, count: number) => Promise<EventRow[]>
  readonly isPastRange: (event: EventRow) => boolean
  /** The `more` of a page that reaches the end of the log. */
  readonly atEnd: Page['more']
}

/** Fills a page with visible events. Reads a bounded number, so a page may have fewer than `limit` although more follow. */
export async function fillPage({ start, limit, read, isPastRange, isVisible, atEnd }: Scan): Promise<Page> {
  const events: EventRow[] = []
  let position = start
  for (let count = 0; count < readMax; ) {
    const rows = await read(position, batchSize)
    for (const row of rows) {
      if (isPastRange(row)) return { events, position, more: undefined }
      // One more than fits, so there is another page.
      if (events.length === limit && isVisible(row)) return { events, position, more: 'next' }
      if (isVisible(row)) events.push(row)
      position = { tx: row.tx, id: row.id }
    }
    count += rows.length
    if (rows.length < batchSize) return { events, position, more: atEnd }
  }
  return { events, position, more: 'next' }
}
