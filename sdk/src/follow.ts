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
  /** Called once, when the position to follow from is known. */
  readonly onOpen?: (() => void) | undefined
}

/** All events after one, each once and in order, until the signal is aborted: over streams, or by polling. */
export async function* follow<E>(
  service: Transport,
  { open, poll, onOpen }: Source<E>,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<E, void, undefined> {
  let last = after
  let isOpen = false
  const moveTo = (position: string | undefined) => {
    last = position
    if (!isOpen) onOpen?.()
    isOpen = true
  }
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
      const messages = readMessages(readChunks(body, { silenceMaxMs, onChunk, signal }))
      for await (const { id, data } of untilBroken(messages, signal)) {
        moveTo(id)
        if (data !== undefined) yield JSON.parse(data) as E
      }
    }
    await service.pause(backOffMs(tries, service.time.random), signal)
  }
  for (;;) {
    const page = await unlessTransient(poll(last))
    if (page) {
      moveTo(page.after)
      yield* page.events
    }
    if (!page?.hasMore) await service.pause(pollMs, signal)
  }
}

/** Ends when the stream breaks: the next one continues after the last event. */
async function* untilBroken<T>(
  messages: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* messages
  } catch {
    signal?.throwIfAborted()
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
