import { ApiError } from '../api/errors.ts'
import type { EventRow } from '../db/tables.ts'
import { idOf, type Place } from '../events/place.ts'
import { showEvent } from '../events/show.ts'

const retryMs = 2_000
/** How soon a stream whose key may not read any more ends. */
const checkEveryMs = 500
const rowsAtOnce = 100

export interface StreamParts {
  readonly heartbeatMs: number
  /** The place behind which to begin. */
  readonly place: Place
  /** Events behind a place, a bounded number of them; none when there are none yet. */
  readonly read: (place: Place) => Promise<readonly EventRow[]>
  /** Who of them the reader sees, asked again and again; undefined when the key may not read any more. */
  readonly sight: () => Promise<((event: EventRow) => boolean) | undefined>
  /** Calls back when there may be more to read, until what it returns is called. */
  readonly follow: (grown: () => void) => () => void
  /** Told once, however it ended. */
  readonly ended: () => void
}

export interface Stream {
  readonly body: ReadableStream<Uint8Array>
  /** Ends it between two events. */
  end(): void
}

/**
 * Server-sent events. Nothing is prepared ahead: what is sent next is read when the reader has taken what was sent before, so a slow
 * reader costs no memory. One that takes nothing for two heartbeats is cut, and may come back with the last id it has.
 */
export function openStream({ heartbeatMs, place: from, read, sight, follow, ended }: StreamParts): Stream {
  const utf8 = new TextEncoder()
  let place = from
  let sees: ((event: EventRow) => boolean) | undefined
  let isOver = false
  let isSilent = false
  let wake = () => {}
  let silence: ReturnType<typeof setTimeout>
  let stall: ReturnType<typeof setTimeout>
  const checking = setInterval(() => {
    sees = undefined
    wake()
  }, checkEveryMs)
  const unfollow = follow(() => wake())

  function finish(): void {
    if (isOver) return
    isOver = true
    clearInterval(checking)
    clearTimeout(silence)
    clearTimeout(stall)
    unfollow()
    wake()
    ended()
  }

  /** What is to be sent next: events, or a sign of life. Undefined when the stream is over. */
  async function next(): Promise<string | undefined> {
    while (!isOver) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      let rows: readonly EventRow[]
      try {
        sees ??= await sight()
        if (!sees || isOver) return undefined
        rows = (await read(place)).slice(0, rowsAtOnce)
      } catch (error) {
        if (error instanceof ApiError) throw error
        // The database is away or too busy. It is asked again with the next check, and nothing is sent until then.
        await woken
        continue
      }
      const last = rows.at(-1)
      if (last) place = { tx: last.tx, id: last.id }
      const text = rows.filter(sees).map(message).join('')
      if (text !== '') return text
      // The id moves those on who see nothing of what happens: when they come back, they need not read all of it again.
      if (isSilent) return `:\nid: ${idOf(place)}\n\n`
      if (!last) await woken
    }
    return undefined
  }

  function send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    controller.enqueue(utf8.encode(text))
    isSilent = false
    clearTimeout(silence)
    silence = setTimeout(() => {
      isSilent = true
      wake()
    }, heartbeatMs)
    stall = setTimeout(() => {
      finish()
      controller.error(new Error('the reader takes nothing'))
    }, 2 * heartbeatMs)
  }

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => send(controller, `retry: ${retryMs}\nid: ${idOf(place)}\n\n`),
    async pull(controller) {
      clearTimeout(stall)
      try {
        const text = await next()
        if (text !== undefined) return send(controller, text)
        finish()
        controller.close()
      } catch (error) {
        // The reader comes back with the last id it has, and is told then what is wrong.
        finish()
        controller.error(error)
      }
    },
    cancel: finish,
  })
  return { body, end: finish }
}

const message = (event: EventRow): string => `id: ${idOf(event)}\ndata: ${JSON.stringify(showEvent(event))}\n\n`
