import { ApiError } from '../api/errors.ts'
import type { Admitted } from '../api/operation.ts'
import type { Database } from '../db/database.ts'
import type { Place } from '../events/place.ts'
import { maySee } from '../events/types.ts'
import { banAt } from '../keys/bans.ts'
import type { Clock } from '../lib/clock.ts'
import { readBehind } from './read.ts'
import { openStream, type Stream } from './stream.ts'
import { createTail } from './tail.ts'

const rowsAtOnce = 500

interface Asked {
  readonly keyId: number
  /** The key as it now is; refuses one that may not call any more. */
  readonly again: () => Promise<Admitted>
  readonly place: Place
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
  readonly perKeyMax: number
  readonly heartbeatMs: number
  /** Told when the log cannot be read for now. */
  readonly failed: (error: unknown) => void
}

/** The streams of this node. */
export function createStreams({ db, clock, perKeyMax, heartbeatMs, failed }: Parts): Streams {
  const tail = createTail(db, failed)
  const streams = new Map<Stream, number>()
  let isClosed = false

  const openOf = (keyId: number) => [...streams.values()].filter((owner) => owner === keyId).length

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
        read: async (from) => tail.after(from) ?? readBehind(db, from, rowsAtOnce),
        async sight() {
          const caller = await again().catch((error: unknown) => {
            if (error instanceof ApiError) return undefined
            throw error
          })
          return caller && !banAt(caller, clock.now())
            ? (event) => types.has(event.type) && maySee(caller, event)
            : undefined
        },
        follow: tail.follow,
        ended: () => void streams.delete(stream),
      })
      streams.set(stream, keyId)
      return stream.body
    },
    count: () => streams.size,
    close() {
      isClosed = true
      for (const stream of [...streams.keys()]) stream.end()
    },
  }
}
