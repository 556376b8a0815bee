import { ApiError } from '../api/errors.ts'
import { DatabaseUnavailable } from '../db/database.ts'
import { eventIdOf, type Position } from '../events/position.ts'
import type { EventRow } from '../events/types.ts'

/**
 * What a stream does, and what ends that:
 *
 * | State     | The stream                                     | Ends when                                                                |
 * | --------- | ---------------------------------------------- | ------------------------------------------------------------------------ |
 * | `sending` | has sent data that the client has not taken    | the client takes it → `reading`, or nothing in two heartbeats → `closed` |
 * | `reading` | reads the log and filters what its key may see | there is something to send → `sending`; the log has no more → `waiting`  |
 * | `waiting` | has nothing to send                            | the log grows, or a tick checks key and heartbeat → `reading`            |
 * | `closed`  | has ended                                      |                                                                          |
 *
 * `end`, a lost key, an error and a client that disconnects close it in any state.
 */
type State = 'sending' | 'reading' | 'waiting' | 'closed'

const retryMs = 2_000

/** The JSON text of an event with this id; undefined if it is hidden. */
export type View = (event: EventRow, id: string) => string | undefined

export interface StreamOptions {
  readonly heartbeatMs: number
  /** The position to start after. */
  readonly position: Position
  /** Reads a bounded number of events after a position; none if there are none yet. */
  readonly read: (position: Position) => Promise<readonly EventRow[]>
  /** How the key sees events now; undefined if it may no longer read. */
  readonly findView: () => Promise<View | undefined>
  /** Called once, with the error if an unexpected one ended it. */
  readonly onEnd: (unexpected?: unknown) => void
}

export interface Stream {
  readonly body: ReadableStream<Uint8Array>
  /** Must be called when the log has grown. */
  wake(): void
  /** Must be called regularly. */
  tick(): void
  /** Closes it between two events. */
  end(): void
}

/**
 * Opens a stream of server-sent events. It reads the next events only after the client has taken the previous ones, so a slow client
 * costs no memory. A client that is cut off can reconnect with its last id.
 */
export function openStream({ heartbeatMs, position: start, read, findView, onEnd }: StreamOptions): Stream {
  const utf8 = new TextEncoder()
  let state: State = 'sending'
  let position = start
  let sentAt = performance.now()
  let wake = () => {}
  let controller: ReadableStreamDefaultController<Uint8Array>

  const isClosed = () => state === 'closed'
  const silentMs = () => performance.now() - sentAt

  function close(unexpected?: unknown): void {
    if (isClosed()) return
    state = 'closed'
    wake()
    onEnd(unexpected)
  }

  function send(text: string): void {
    controller.enqueue(utf8.encode(text))
    state = 'sending'
    sentAt = performance.now()
  }

  function fail(error: unknown): void {
    close(isExpected(error) ? undefined : error)
    controller.error(error)
  }

  /** Waits for the next text to send: events or a heartbeat. Undefined when the stream is closed. */
  async function nextText(): Promise<string | undefined> {
    while (!isClosed()) {
      state = 'reading'
      // Listens before it reads, because the log may grow during the read.
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const text = await readText().catch(ignoreUnavailable)
      if (text !== nothingNew) return text
      if (!isClosed()) state = 'waiting'
      await woken
    }
    return undefined
  }

  async function readText(): Promise<string | undefined> {
    for (;;) {
      const rows = await read(position)
      // Checked after the read: what was recorded after the key lost a scope is not sent.
      const view = await findView()
      if (!view || isClosed()) return undefined
      const last = rows.at(-1)
      if (last) position = { tx: last.tx, id: last.id }
      const text = rows.map((row) => formatMessage(row, view)).join('')
      if (text !== '') return text
      // With an id, so that a client that sees none of the events does not start from far back when it reconnects.
      if (silentMs() >= heartbeatMs) return `:\nid: ${eventIdOf(position)}\n\n`
      if (!last) return nothingNew
    }
  }

  const body = new ReadableStream<Uint8Array>({
    start(streamController) {
      controller = streamController
      send(`retry: ${retryMs}\nid: ${eventIdOf(position)}\n\n`)
    },
    async pull() {
      try {
        const text = await nextText()
        if (text !== undefined && !isClosed()) return send(text)
        close()
        controller.close()
      } catch (error) {
        // The client reconnects with its last id, and gets the error then.
        fail(error)
      }
    },
    cancel: () => close(),
  })

  return {
    body,
    wake: () => wake(),
    tick() {
      if (state === 'waiting') wake()
      if (state === 'sending' && silentMs() > 2 * heartbeatMs) fail(new ClientStalled())
    },
    end: () => close(),
  }
}

const nothingNew = ''

class ClientStalled extends Error {
  constructor() {
    super('the client takes no data')
  }
}

const isExpected = (error: unknown): boolean => error instanceof ApiError || error instanceof ClientStalled

/** The database is unavailable or too busy: the next tick tries again. */
function ignoreUnavailable(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return nothingNew
  throw error
}

function formatMessage(event: EventRow, view: View): string {
  const id = eventIdOf(event)
  const json = view(event, id)
  return json === undefined ? '' : `id: ${id}\ndata: ${json}\n\n`
}
