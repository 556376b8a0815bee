import type { Received } from '@petstore/judge/history'
import type { Exchange } from '../surfaces/http/request.ts'
import { type Cut, isEventStream } from './cut.ts'
import { describeRequest, eventIdsMax, type Note, type Surroundings } from './describe-request.ts'
import type { RecordedRequest } from './recorded.ts'
import { idOf, openRequestFile, requestsMax } from './request-file.ts'
import { createTimeOfDay } from './time-of-day.ts'
import { hasBody, readUnread } from './unread-body.ts'

/** Keeps the last requests of a sandbox in a file, and those of the last second in memory. */
export interface Recorder {
  /** Notes a request that has to wait for its response. */
  open(exchange: Exchange): void
  /** Notes the response of a request, and where a fault cuts it. Returns the response to send. */
  record(exchange: Exchange, response: Response, cut: Cut | undefined): Promise<Response> | Response
  /** The last requests as JSON texts, oldest first. */
  read(): readonly string[]
  /** All that have not been dropped yet, oldest first: those of `read`, and some earlier ones. */
  readAll(): RecordedRequest[]
  /** How many there were, including dropped ones. */
  count(): number
  /** Call it every second: it writes what is not yet in the file. */
  flush(): void
}

interface Dependencies extends Surroundings {
  readonly file: string
  readonly hostTime: () => number
  readonly sandboxTime: () => number
  /** The last id that was dropped earlier, which a crash may have left out of the file. */
  readonly droppedTo: number
  /** Called before requests up to this id are dropped, with all that there are. */
  readonly onDrop: (all: readonly RecordedRequest[], upTo: number) => void
}

export function createRecorder(dependencies: Dependencies): Recorder {
  const { file: path, hostTime, sandboxTime, droppedTo, onDrop, ...surroundings } = dependencies
  const file = openRequestFile(path, drop)
  const timeOfDay = createTimeOfDay(hostTime)
  let lastId = Math.max(file.lastId(), droppedTo)
  let droppedId = droppedTo
  let notes: Note[] = []
  const waiting = new WeakMap<Exchange, Note>()

  /** Reports that requests are dropped, unless that was reported before. */
  function drop(upTo: number): void {
    if (upTo <= droppedId) return
    onDrop(readAll(), upTo)
    droppedId = upTo
  }

  /** A file whose requests were all dropped is not read again, so a busy sandbox does not read it for every thousand requests. */
  function readAll(): RecordedRequest[] {
    const lines = file.lastId() > droppedId ? file.readAll() : []
    const requests = [...lines.map((line): RecordedRequest => JSON.parse(line)), ...notes.map(describe)]
    return requests.filter(({ id }) => id > droppedId).sort((a, b) => a.id - b.id)
  }

  /** Forgets the oldest notes that have ended. */
  function dropNotes(): void {
    const gone = new Set(notes.filter(hasEnded).slice(0, -requestsMax))
    if (gone.size === 0) return
    drop(Math.max(...[...gone].map(({ id }) => id)))
    notes = notes.filter((noted) => !gone.has(noted))
  }

  function note(exchange: Exchange): Note {
    const receivedAt = timeOfDay(exchange.startedAt)
    const connection = exchange.connection()
    const noted: Note = { id: ++lastId, exchange, receivedAt, connection, received: 'open', durationMs: null }
    notes.push(noted)
    if (notes.length > 2 * requestsMax) dropNotes()
    return noted
  }

  /** Only the first end counts: a client that has left receives nothing. */
  function end(noted: Note, received: Received): void {
    if (noted.durationMs !== null) return
    noted.received = received
    noted.durationMs = performance.now() - noted.exchange.startedAt
    noted.endedAt = sandboxTime()
  }

  function respond(exchange: Exchange, response: Response, cut: Cut | undefined): Response {
    const noted = waiting.get(exchange) ?? note(exchange)
    if (cut === 'before') end(noted, 'cut')
    if (noted.durationMs !== null) return response
    noted.sent = response
    if (response.body && (cut || isEventStream(response))) return watchBody(response, noted, end)
    end(noted, 'complete')
    return response
  }

  /** A request that has ended is described only once: it may be judged before it is written. */
  function describe(noted: Note): RecordedRequest {
    if (!hasEnded(noted)) return describeRequest(noted, surroundings)
    noted.described ??= describeRequest(noted, surroundings)
    return noted.described
  }
  const lineOf = (noted: Note): string => JSON.stringify(describe(noted))

  /** Turns notes into lines. An open request is shown, and stays a note until it ends. */
  function write(): void {
    dropNotes()
    const done = notes.filter(hasEnded)
    notes = notes.filter((noted) => !hasEnded(noted))
    if (done.length > 0) file.append(done.map(lineOf))
  }

  return {
    open(exchange) {
      const noted = note(exchange)
      waiting.set(exchange, noted)
      exchange.request.signal.addEventListener('abort', () => end(noted, 'abandoned'), { once: true })
    },
    record(exchange, response, cut) {
      const respondNow = () => respond(exchange, response, cut)
      if (!hasBody(exchange) || exchange.request.bodyUsed) return respondNow()
      return readUnread(exchange).then((text) => {
        exchange.bodyText = text
        return respondNow()
      }, respondNow)
    },
    read() {
      write()
      // A line is written when its request ends, after those that ended earlier.
      return [...file.read(), ...notes.map(lineOf)].sort((a, b) => idOf(a) - idOf(b)).slice(-requestsMax)
    },
    readAll() {
      write()
      return readAll()
    },
    count: () => lastId,
    flush: write,
  }
}

const hasEnded = ({ durationMs }: Note): boolean => durationMs !== null

/** Too many are not listed, but the last one is always known. */
function noteEvent(noted: Note, id: string): void {
  noted.eventIds ??= []
  const ids = noted.eventIds
  if (ids.length > eventIdsMax) ids.pop()
  ids.push(id)
}

/** Passes on a body that is sent in parts, and reports when it ends. For a stream of events, notes the last id that was sent. */
function watchBody(response: Response, noted: Note, end: (noted: Note, received: Received) => void): Response {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const text = new TextDecoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          end(noted, 'complete')
          return controller.close()
        }
        for (const [, id = ''] of text.decode(value).matchAll(/^id: (.*)$/gm)) noteEvent(noted, id)
        controller.enqueue(value)
      } catch (error) {
        end(noted, 'cut')
        controller.error(error)
      }
    },
    cancel(reason) {
      end(noted, 'abandoned')
      return reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
