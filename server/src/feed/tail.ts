import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { findLogEnd, readLog } from '../events/log.ts'
import { isBefore, type Position } from '../events/position.ts'
import { eventsRecorded } from '../events/record.ts'
import type { EventRow } from '../events/types.ts'

/** How often a node looks for what others have recorded; of its own it hears. */
const pollMs = 200
/** Many commits in a moment are one look. */
const restMs = 20
const rowsAtOnce = 500
const keptMax = 1_000

export interface Tail {
  /** Calls back whenever the log has grown, until what it returns is called. */
  follow(grown: () => void): () => void
  /** The events behind a place, when the tail reaches back so far; else they have to be read from the log. */
  after(place: Position): readonly EventRow[] | undefined
}

/** The end of the log, read once for all who follow it on this node, and not at all while nobody does. */
export function createTail(db: Database, failed: (error: unknown) => void): Tail {
  const followers = new Set<() => void>()
  let wake = () => {}
  let isReading = false
  let start: Position | undefined
  let rows: EventRow[] = []

  db.listen(eventsRecorded, () => wake())

  async function keepReading(): Promise<void> {
    isReading = true
    while (followers.size > 0) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const found = await look().catch(failed)
      await pause(restMs)
      if (found !== rowsAtOnce) await Promise.race([woken, pause(pollMs - restMs)])
    }
    isReading = false
    start = undefined
    rows = []
  }

  async function look(): Promise<number> {
    start ??= await findLogEnd(db)
    const found = await readLog(db, rows.at(-1) ?? start, rowsAtOnce)
    rows.push(...found)
    const dropped = rows.splice(0, rows.length - keptMax).at(-1)
    if (dropped) start = dropped
    if (found.length > 0) for (const grown of followers) grown()
    return found.length
  }

  return {
    follow(grown) {
      followers.add(grown)
      if (!isReading) void keepReading()
      return () => void followers.delete(grown)
    },
    after(place) {
      if (!start || isBefore(place, start)) return undefined
      const first = rows.findIndex((row) => isBefore(place, row))
      return first < 0 ? [] : rows.slice(first)
    },
  }
}
