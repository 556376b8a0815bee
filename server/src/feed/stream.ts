import { ApiError } from '../api/errors.ts'
import { DatabaseUnavailable } from '../db/database.ts'
import { eventIdOf, type Position } from '../events/position.ts'
import { eventJson } from '../events/show.ts'
import type { EventRow } from '../events/types.ts'

/**
 * What a stream does, and what ends that:
 *
 * | State     | The stream                                            | until                                                  |
 * | --------- | ----------------------------------------------------- | ------------------------------------------------------ |
 * | `sending` | has sent something that the reader has not taken yet  | the reader takes it, or has not for two heartbeats     |
 * | `reading` | reads the log and looks at what its key may see       | there is something to send, or the log has no more     |
 * | `waiting` | has nothing to send                                   | the log grows, or a tick: is the key good, is it silent |
 * | `over`    | has ended, for whatever reason                        |                                                        |
 */
type State = 'sending' | 'reading' | 'waiting' | 'over'

const retryMs = 2_000

export interface StreamParts {
  readonly heartbeatMs: number
  /** The place behind which to begin. */
  readonly place: Position
  /** Events behind a place, a bounded number of them; none when there are none yet. */
  readonly read: (place: Position) => Promise<readonly EventRow[]>
  /** Which events the key may see now; undefined when it may not read any more. */
  readonly findVisible: () => Promise<((event: EventRow) => boolean) | undefined>
  /** Called once, with the error that nothing foresees if it was one. */
  readonly onEnd: (unexpected?: unknown) => void
}

export interface Stream {
  readonly body: ReadableStream<Uint8Array>
  /** Says that the log has grown. */
  wake(): void
  /** Says that time has passed. */
  tick(): void
  /** Ends it between two events. */
  end(): void
}

/**
 * Server-sent events. Nothing is prepared ahead: what is sent next is read when the reader has taken what was sent before, so a slow
 * reader costs no memory. One that is cut may come back with the last id it has.
 */
export function openStream({ heartbeatMs, place: from, read, findVisible, onEnd }: StreamParts): Stream {
  const utf8 = new TextEncoder()
  let state: State = 'sending'
  let place = from
  let sentAt = performance.now()
  let wake = () => {}
  let reader: ReadableStreamDefaultController<Uint8Array>

  const isOver = () => state === 'over'
  const silentMs = () => performance.now() - sentAt

  function finish(unexpected?: unknown): void {
    if (isOver()) return
    state = 'over'
    wake()
    onEnd(unexpected)
  }

  function send(text: string): void {
    reader.enqueue(utf8.encode(text))
    state = 'sending'
    sentAt = performance.now()
  }

  function cut(error: unknown): void {
    finish(isExpected(error) ? undefined : error)
    reader.error(error)
  }

  /** What is sent next: events, or a sign of life. Undefined when the stream is over. */
  async function next(): Promise<string | undefined> {
    while (!isOver()) {
      state = 'reading'
      // From before the read on: the log may grow meanwhile.
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const text = await readOn().catch(waitWhileUnavailable)
      if (text !== nothingNew) return text
      if (!isOver()) state = 'waiting'
      await woken
    }
    return undefined
  }

  async function readOn(): Promise<string | undefined> {
    for (;;) {
      const rows = await read(place)
      // Looked at afterwards: what was recorded when the key had lost a scope is not sent.
      const isVisible = await findVisible()
      if (!isVisible || isOver()) return undefined
      const last = rows.at(-1)
      if (last) place = { tx: last.tx, id: last.id }
      const text = rows.filter(isVisible).map(message).join('')
      if (text !== '') return text
      // The id moves readers on that see nothing of what happens: when they come back, they need not read all of it again.
      if (silentMs() >= heartbeatMs) return `:\nid: ${eventIdOf(place)}\n\n`
      if (!last) return nothingNew
    }
  }

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      reader = controller
      send(`retry: ${retryMs}\nid: ${eventIdOf(place)}\n\n`)
    },
    async pull() {
      try {
        const text = await next()
        if (text !== undefined && !isOver()) return send(text)
        finish()
        reader.close()
      } catch (error) {
        // The reader comes back with the last id it has, and is told then what is wrong.
        cut(error)
      }
    },
    cancel: () => finish(),
  })

  return {
    body,
    wake: () => wake(),
    tick() {
      if (state === 'waiting') wake()
      if (state === 'sending' && silentMs() > 2 * heartbeatMs) cut(new ReaderStalled())
    },
    end: () => finish(),
  }
}

const nothingNew = ''

class ReaderStalled extends Error {
  constructor() {
    super('the reader takes nothing')
  }
}

const isExpected = (error: unknown): boolean => error instanceof ApiError || error instanceof ReaderStalled

/** The database is away or too busy: it is asked again with the next tick, and nothing is sent until then. */
function waitWhileUnavailable(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return nothingNew
  throw error
}

function message(event: EventRow): string {
  const id = eventIdOf(event)
  return `id: ${id}\ndata: ${eventJson(event, id)}\n\n`
}
