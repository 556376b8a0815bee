import { PetStoreError } from './errors.ts'
import { backOffMs, isPassing } from './retry.ts'
import { readChunks, readMessages } from './server-sent-events.ts'
import type { Transport } from './transport.ts'

/** The service sends something at least every 50 seconds, so a stream that is quiet for longer is broken, or held up by a proxy. */
const quietMs = 75_000
const pollMs = 5_000
/** After so many streams in a row that brought nothing at all, polling is the better way. */
const silentMax = 2

export interface Polled<E> {
  readonly events: readonly E[]
  /** Where to go on. */
  readonly after: string | undefined
  readonly hasMore: boolean
}

export interface Source<E> {
  /** A stream of what happens after an event. */
  readonly open: (after: string | undefined) => Promise<Response>
  /** A page of what happened after an event. */
  readonly poll: (after: string | undefined) => Promise<Polled<E>>
}

/** All events behind one, each once and in order, until the signal ends it: over stream after stream, or by polling. */
export async function* follow<E>(
  service: Transport,
  { open, poll }: Source<E>,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<E, void, undefined> {
  let last = after
  let silent = 0
  for (let attempt = 1; silent < silentMax; attempt++) {
    try {
      const { headers, body } = await open(last)
      if (!body || !headers.get('Content-Type')?.startsWith('text/event-stream')) break
      silent++
      const heard = () => {
        silent = 0
        attempt = 0
      }
      for await (const { id, data } of readMessages(readChunks(body, { quietMs, heard, signal }))) {
        if (data !== undefined) yield JSON.parse(data) as E
        last = id
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof PetStoreError && !isPassing(error)) throw error
    }
    await service.pause(backOffMs(attempt, service.time.random), signal)
  }
  for (;;) {
    const page = await poll(last)
    yield* page.events
    last = page.after
    if (!page.hasMore) await service.pause(pollMs, signal)
  }
}
