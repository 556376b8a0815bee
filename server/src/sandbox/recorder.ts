import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { withTimeout } from '../platform/lib/with-timeout.ts'
import type { Exchange } from '../surfaces/http/request.ts'
import { isEventStream } from './cut-stream.ts'
import type { RecordedRequest } from './recorded.ts'

const requestsMax = 1_000
/** How much text is kept for one sandbox. The file grows to twice as much before it is cut. */
const bytesMax = 4 * 1024 * 1024
const bodyCharactersMax = 16 * 1024

/** Keeps the last requests of a sandbox in a file, and those of the last second in memory. */
export interface Recorder {
  /** Notes a request with its response. Returns the response to send. */
  record(
    exchange: Exchange,
    response: Response,
    fault: string | undefined,
    isCut: boolean,
  ): Promise<Response> | Response
  /** The requests as JSON texts, oldest first. */
  read(): readonly string[]
  /** Writes what is not yet in the file. */
  flush(): void
  /**
   * To be called every second: writes what is not yet in the file, unless requests that replace it keep coming. Making text of those would
   * slow others down.
   */
  flushUnlessBusy(): void
}

/** A request as noted. Its text is made later, outside of the request. */
interface Note {
  readonly id: number
  readonly exchange: Exchange
  readonly status: number
  /** The listener sends these, and leaves them as they are. */
  readonly responseHeaders: Headers
  readonly isCut: boolean
  readonly fault: string | undefined
  readonly receivedAt: number
  durationMs: number | null
  lastEventId?: string | undefined
}

interface Dependencies {
  readonly file: string
  readonly hostTime: () => number
  /** The path of the sandbox on its host, which recorded targets leave out. A proxy may have removed what its address has before. */
  readonly root: string
}

export function createRecorder({ file, hostTime, root }: Dependencies): Recorder {
  let { lastId, bytes } = repair(file)
  let notes: Note[] = []
  let lastIdBefore = lastId

  function note(exchange: Exchange, response: Response, fault: string | undefined, isCut: boolean): Response {
    const isStream = !isCut && exchange.responseText === undefined && isEventStream(response)
    const durationMs = performance.now() - exchange.startedAt
    const noted: Note = {
      id: ++lastId,
      exchange,
      status: response.status,
      responseHeaders: response.headers,
      isCut,
      fault,
      receivedAt: hostTime() - durationMs,
      durationMs: isStream ? null : durationMs,
    }
    notes.push(noted)
    if (notes.length > 2 * requestsMax) notes = notes.slice(-requestsMax)
    if (!isStream) return response
    return watchStream(response, (lastEventId) => {
      noted.durationMs = performance.now() - exchange.startedAt
      noted.lastEventId = lastEventId
    })
  }

  /** Turns notes into lines. An open stream is shown, and stays a note until it ends. */
  function write(): void {
    const done = notes.slice(-requestsMax).filter(({ durationMs }) => durationMs !== null)
    notes = notes.filter(({ durationMs }) => durationMs === null)
    if (done.length === 0) return
    const text = done.map((each) => `${JSON.stringify(describe(each, root))}\n`).join('')
    appendFileSync(file, text, { mode: 0o600 })
    bytes += text.length
    if (bytes > 2 * bytesMax) bytes = replaceFile(file, readLines(file))
  }

  return {
    record(exchange, response, fault, isCut) {
      const noteIt = () => note(exchange, response, fault, isCut)
      if (!hasBody(exchange) || exchange.request.bodyUsed) return noteIt()
      return readUnread(exchange).then((text) => {
        exchange.bodyText = text
        return noteIt()
      }, noteIt)
    },
    read() {
      write()
      const open = notes.map((each) => JSON.stringify(describe(each, root)))
      // A stream is written when it ends, after requests that got a response later.
      return [...readLines(file), ...open].sort((a, b) => idOf(a) - idOf(b)).slice(-requestsMax)
    },
    flush: write,
    flushUnlessBusy() {
      const isBusy = lastId - lastIdBefore >= requestsMax
      lastIdBefore = lastId
      if (!isBusy) write()
    },
  }
}

function describe(noted: Note, root: string): RecordedRequest {
  const { exchange, isCut, fault, durationMs, lastEventId } = noted
  const { request, url, headers, operation, bodyText, responseText, admission } = exchange
  const body = bodyText ? cutBody(bodyText) : undefined
  const responseBody = isCut || request.method === 'HEAD' ? undefined : responseText
  const keyId = admission?.key?.keyId
  return {
    id: noted.id,
    at: new Date(exchange.now).toISOString(),
    receivedAt: new Date(noted.receivedAt).toISOString(),
    durationMs: durationMs === null ? null : Math.round(durationMs * 100) / 100,
    method: request.method,
    target: cutSecrets(targetOf(url, root)),
    ...(operation && { operationId: operation.id }),
    headers: cutHeaders(headers),
    ...body,
    ...(bodyText === undefined && hasBody(exchange) && { bodyCut: true }),
    ...(keyId !== undefined && { keyId }),
    status: isCut ? null : noted.status,
    responseHeaders: isCut ? {} : cutHeaders(noted.responseHeaders.toJSON()),
    ...(responseBody && { responseBody: cutBody(responseBody).body }),
    ...(fault !== undefined && { fault }),
    ...(lastEventId !== undefined && { streamLastEventId: lastEventId }),
  }
}

function cutBody(text: string): { body: string; bodyCut?: true } {
  // Before it is shortened: that could leave part of a secret, which no longer looks like one.
  const body = cutSecrets(text)
  return body.length > bodyCharactersMax ? { body: body.slice(0, bodyCharactersMax), bodyCut: true } : { body }
}

function targetOf(url: string, root: string): string {
  const path = url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('//') + 2))
  return path.startsWith(root) ? path.slice(root.length) || '/' : path
}

/** The latest lines of the file. A crash may have cut the last one: it does not count. */
function readLines(file: string): string[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  let from = lines.length
  let bytes = 0
  while (from > 0 && lines.length - from < requestsMax) {
    bytes += lines[from - 1]?.length ?? 0
    if (bytes > bytesMax) break
    from--
  }
  return lines.slice(from)
}

/** Removes what a crash left half written. Returns what the file has. */
function repair(file: string): { lastId: number; bytes: number } {
  const lines = readLines(file)
  return { lastId: Math.max(0, ...lines.map(idOf)), bytes: replaceFile(file, lines) }
}

/** Every line begins with its id. */
const idOf = (line: string): number => Number.parseInt(line.slice('{"id":'.length), 10)

/** Returns the new size. */
function replaceFile(file: string, lines: readonly string[]): number {
  const text = lines.map((line) => `${line}\n`).join('')
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return text.length
}

/** Enough for what is recorded, whatever its characters take. A rejection of more closes the connection, so the rest may stay unread. */
const unreadBytesMax = 64 * 1024
/** How long the response waits for a body that is still on its way. */
const arrivalMs = 1_000

const hasBody = ({ headers }: Exchange): boolean =>
  (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined

/** Reads the beginning of a body that its rejection left unread. Rejects if it does not arrive. */
async function readUnread({ request }: Exchange): Promise<string> {
  const bytes = await withTimeout(arrivalMs, readBeginning(request), () => new Error('the body did not arrive'))
  return new TextDecoder().decode(bytes)
}

async function readBeginning({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size >= unreadBytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, unreadBytesMax)
}

/** Passes a stream of server-sent events on, and tells its end and the last id that was sent. */
function watchStream(response: Response, onEnd: (lastEventId: string | undefined) => void): Response {
  if (!response.body) {
    onEnd(undefined)
    return response
  }
  const reader = response.body.getReader()
  const text = new TextDecoder()
  let lastEventId: string | undefined
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          onEnd(lastEventId)
          return controller.close()
        }
        for (const [, id] of text.decode(value).matchAll(/^id: (.*)$/gm)) lastEventId = id
        controller.enqueue(value)
      } catch (error) {
        onEnd(lastEventId)
        controller.error(error)
      }
    },
    cancel(reason) {
      onEnd(lastEventId)
      return reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

/**
 * The form of keys and of webhook secrets, wherever they stand in a text: a space before them may be written as `%20`. Part of a key
 * is cut too, unless it is so short that it could be a word.
 */
const secrets = /(ps_)[\dA-Za-z]{20,}|(whsec_)[\w+/=%-]{8,}/g
const secretHeaders = ['x-api-key', 'authorization', 'proxy-authorization', 'cookie']

/** Replaces every secret of the service in a text. */
const cutSecrets = (text: string): string => text.replace(secrets, '$1$2…')

/** The headers without their secrets, whichever service those belong to. */
function cutHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const cut: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) cut[name] = cutSecrets(String(value))
  for (const name of secretHeaders) {
    const value = cut[name]
    if (value !== undefined && !/^(?:Bearer )?ps_…$/i.test(value)) cut[name] = '…'
  }
  return cut
}
