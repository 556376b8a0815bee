import { PetStoreError } from './errors.ts'
import { backOffMs, isTransient } from './retry.ts'
import { readChunks, readMessages } from './server-sent-events.ts'
import type { Transport } from './transport.ts'

/** The service sends something at least every 50 seconds; a stream that is silent for longer is broken or buffered by a proxy. */
const silenceMaxMs = 75_000
const pollMs = 5_000
/** Polls after this many streams in a row without a single byte. */
const silentStreamsMax = 2

export interface EventPage<E> {
  readonly events: readonly E[]
  /** The position of the next page. */
  readonly after: string | undefined
  readonly hasMore: boolean
}

export interface Source<E> {
  /** Opens a stream of the events after this one. */
  readonly open: (after: string | undefined) => Promise<Response>
  /** Reads a page of the events after this one. */
  readonly poll: (after: string | undefined) => Promise<EventPage<E>>
}

/** All events after one, each once and in order, until the signal is aborted: over streams, or by polling. */
export async function* follow<E>(
  service: Transport,
  { open, poll }: Source<E>,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<E, void, undefined> {
  let last = after
  let silentStreams = 0
  for (let tries = 1; silentStreams < silentStreamsMax; tries++) {
    const stream = await unlessTransient(open(last))
    if (stream) {
      const { headers, body } = stream
      if (!body || !headers.get('Content-Type')?.startsWith('text/event-stream')) break
      silentStreams++
      const onChunk = () => {
        silentStreams = 0
        tries = 0
      }
      try {
        for await (const { id, data } of readMessages(readChunks(body, { silenceMaxMs, onChunk, signal }))) {
          if (data !== undefined) yield JSON.parse(data) as E
          last = id
        }
      } catch {
        // The stream broke. The next one goes on after the last event.
        signal?.throwIfAborted()
      }
    }
    await service.pause(backOffMs(tries, service.time.random), signal)
  }
  for (;;) {
    const page = await unlessTransient(poll(last))
    if (page) {
      yield* page.events
      last = page.after
    }
    if (!page?.hasMore) await service.pause(pollMs, signal)
  }
}

/** What a call returns; undefined if it failed, but may succeed later. */
async function unlessTransient<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof PetStoreError && isTransient(error)) return undefined
    throw error
  }
}
