import { ApiError } from '../api/errors.ts'
import type { Admitted } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import type { Position } from '../events/position.ts'
import { canSee, type EventRow } from '../events/types.ts'
import { banAt } from '../keys/bans.ts'
import type { KeyDirectory } from '../keys/directory.ts'
import type { Clock } from '../lib/clock.ts'
import { errorFields, type Log } from '../telemetry/log.ts'
import { readBehind } from './read.ts'
import { openStream, type Stream } from './stream.ts'
import { createTail } from './tail.ts'
import { createTurns } from './turns.ts'

/** So many events a stream reads and sends at once: what it may take of the event loop. */
const rowsAtOnce = 100
/** How soon a stream whose key may not read any more ends. */
const tickMs = 500

interface Asked {
  readonly keyId: number
  /** The key as it now is; refuses one that may not call any more. */
  readonly again: () => Promise<Admitted>
  readonly place: Position
  readonly types: ReadonlySet<string>
}

export interface Streams {
  open(asked: Asked): ReadableStream<Uint8Array>
  /** How many are open. */
  count(): number
  /** Ends all of them, and opens no more. */
  close(): void
}

interface Parts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly directory: KeyDirectory
  readonly perKeyMax: number
  readonly heartbeatMs: number
}

/** The streams of this node. */
export function createStreams({ db, clock, log, directory, perKeyMax, heartbeatMs }: Parts): Streams {
  const tail = createTail(db, (error) =>
    log.write('warn', 'the log of events cannot be read for now', errorFields(error)),
  )
  const turns = createTurns()
  const streams = new Map<Stream, number>()
  let ticking: ReturnType<typeof setInterval> | undefined
  let isClosed = false

  const openOf = (keyId: number) => [...streams.values()].filter((owner) => owner === keyId).length

  function add(stream: Stream, keyId: number): void {
    streams.set(stream, keyId)
    ticking ??= setInterval(() => {
      for (const each of streams.keys()) each.tick()
    }, tickMs)
  }

  function remove(stream: Stream): void {
    streams.delete(stream)
    if (streams.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }

  /** From memory at the end of the log, else in turn with all that catch up. */
  async function read(keyId: number, place: Position): Promise<readonly EventRow[]> {
    const recent = tail.after(place)?.slice(0, rowsAtOnce)
    const rows = recent ?? (await turns.take(keyId, () => readBehind(db, place, rowsAtOnce)))
    // The log may tell of a change of the key before the news of it has come: nothing behind that is shown to the key as it was.
    if (rows.some((row) => row.type.startsWith('key.') && JSON.parse(row.data).id === keyId)) directory.forget(keyId)
    return rows
  }

  return {
    open({ keyId, again, place, types }) {
      if (isClosed) {
        throw new ApiError('unavailable', 'This node is stopping. Open the stream again.', {
          headers: { 'Retry-After': '1' },
        })
      }
      if (openOf(keyId) >= perKeyMax) {
        throw new ApiError('too_many_streams', `This key has ${perKeyMax} streams open, and may have no more.`)
      }
      const stream = openStream({
        heartbeatMs,
        place,
        read: (from) => read(keyId, from),
        async findVisible() {
          const caller = await again().catch((error: unknown) => {
            if (error instanceof ApiError) return undefined
            throw error
          })
          return caller && !banAt(caller, clock.now())
            ? (event) => types.has(event.type) && canSee(caller, event)
            : undefined
        },
        onEnd(unexpected) {
          remove(stream)
          unfollow()
          if (unexpected !== undefined)
            log.write('error', 'a stream of events was cut', { keyId, ...errorFields(unexpected) })
        },
      })
      const unfollow = tail.follow(stream.wake)
      add(stream, keyId)
      return stream.body
    },
    count: () => streams.size,
    close() {
      isClosed = true
      for (const stream of [...streams.keys()]) stream.end()
    },
  }
}
