import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { findLogEnd, readLog } from '../events/log.ts'
import { isBefore, type Position } from '../events/position.ts'
import { eventsRecorded } from '../events/record.ts'
import type { EventRow } from '../events/types.ts'

/** How often a node polls for events of other nodes. It is notified of its own. */
const pollMs = 200
/** Minimum pause between reads, so that many commits share one. */
const restMs = 20
const batchSize = 500
const keptMax = 1_000

export interface Tail {
  /** Calls `onGrowth` whenever the log has grown. Returns a function that stops this. */
  follow(onGrowth: () => void): () => void
  /** The events after a position, if the tail reaches back that far; otherwise undefined: read them from the log. */
  after(position: Position): readonly EventRow[] | undefined
}

/** Keeps the end of the log in memory, read once for all followers on this node. Reads nothing without followers. */
export function createTail(db: Database, onError: (error: unknown) => void): Tail {
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
      const found = await readNew().catch(onError)
      await pause(restMs)
      if (found !== batchSize) await Promise.race([woken, pause(pollMs - restMs)])
    }
    isReading = false
    start = undefined
    rows = []
  }

  async function readNew(): Promise<number> {
    start ??= await findLogEnd(db)
    const found = await readLog(db, rows.at(-1) ?? start, batchSize)
    rows.push(...found)
    const dropped = rows.splice(0, rows.length - keptMax).at(-1)
    if (dropped) start = dropped
    if (found.length > 0) for (const onGrowth of followers) onGrowth()
    return found.length
  }

  return {
    follow(onGrowth) {
      followers.add(onGrowth)
      if (!isReading) void keepReading()
      return () => void followers.delete(onGrowth)
    },
    after(position) {
      if (!start || isBefore(position, start)) return undefined
      const first = rows.findIndex((row) => isBefore(position, row))
      return first < 0 ? [] : rows.slice(first)
    },
  }
}
