import { ApiError, unavailable } from '../api/errors.ts'
import type { AdmittedCaller } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import type { Position } from '../events/position.ts'
import type { EventRow } from '../events/types.ts'
import { banAt, type KeyDirectory } from '../keys/directory.ts'
import type { Clock } from '../lib/clock.ts'
import { errorFields, type Log } from '../telemetry/log.ts'
import { feedErrors } from './operations.ts'
import { readAfter } from './read.ts'
import { openStream, type Stream } from './stream.ts'
import { createTail } from './tail.ts'
import { createTurns } from './turns.ts'

/** How many events a stream reads and sends at a time, so that it does not block the event loop. */
const batchSize = 100
/** How soon a stream ends after its key loses access. */
const tickMs = 500

interface StreamRequest {
  readonly keyId: number
  /** Reads the caller again. Throws if its key may no longer call. */
  readonly confirmCaller: () => Promise<AdmittedCaller>
  readonly position: Position
  readonly types: ReadonlySet<string>
}

export interface Streams {
  open(request: StreamRequest): ReadableStream<Uint8Array>
  /** How many are open. */
  count(): number
  /** Ends all streams and rejects new ones. */
  close(): void
}

interface Dependencies {
  readonly db: Database
  readonly catalogue: EventCatalogue
  readonly clock: Clock
  readonly log: Log
  readonly directory: KeyDirectory
  readonly perKeyMax: number
  readonly heartbeatMs: number
}

/** The streams of this node. */
export function createStreams({ db, catalogue, clock, log, directory, perKeyMax, heartbeatMs }: Dependencies): Streams {
  const tail = createTail(db, (error) => log.write('warn', 'the event log cannot be read', errorFields(error)))
  const turns = createTurns()
  const streams = new Map<Stream, number>()
  let ticker: ReturnType<typeof setInterval> | undefined
  let isClosed = false

  const countOpen = (keyId: number) => [...streams.values()].filter((owner) => owner === keyId).length

  function add(stream: Stream, keyId: number): void {
    streams.set(stream, keyId)
    ticker ??= setInterval(() => {
      for (const stream of streams.keys()) stream.tick()
    }, tickMs)
  }

  function remove(stream: Stream): void {
    streams.delete(stream)
    if (streams.size > 0) return
    clearInterval(ticker)
    ticker = undefined
  }

  /** Reads from memory at the end of the log, otherwise takes turns with all streams that are catching up. */
  async function read(keyId: number, position: Position): Promise<readonly EventRow[]> {
    const recent = tail.after(position)?.slice(0, batchSize)
    const rows = recent ?? (await turns.take(keyId, () => readAfter(db, position, batchSize)))
    // The log may contain a change of the key before its notification arrives: later events need the key as changed.
    if (rows.some((row) => row.type.startsWith('key.') && JSON.parse(row.data).id === keyId)) directory.forget(keyId)
    return rows
  }

  return {
    open({ keyId, confirmCaller, position, types }) {
      if (isClosed) {
        throw unavailable('This node is stopping.')
      }
      if (countOpen(keyId) >= perKeyMax) {
        throw new ApiError(feedErrors.too_many_streams, `This key has ${perKeyMax} of ${perKeyMax} streams open.`)
      }
      const stream = openStream({
        heartbeatMs,
        position,
        read: (after) => read(keyId, after),
        async findView() {
          const caller = await confirmCaller().catch((error: unknown) => {
            if (error instanceof ApiError) return undefined
            throw error
          })
          if (!caller || banAt(caller, clock.now())) return undefined
          const isVisible = (event: EventRow) => types.has(event.type) && catalogue.canSee(caller, event)
          return (event, id) => (isVisible(event) ? catalogue.toJson(event, id, caller) : undefined)
        },
        onEnd(unexpected) {
          remove(stream)
          unfollow()
          if (unexpected !== undefined)
            log.write('error', 'an event stream failed', { keyId, ...errorFields(unexpected) })
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
