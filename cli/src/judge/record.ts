import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib'
import type { Exchange, Received } from '@petstore/judge/history'
import { errorCodeIn } from '@petstore/judge/history/error-code'
import { digestBody, formatHash } from './body-digest.ts'
import { type Beginning, beginningBytesMax, targetOf } from './forward.ts'
import { createMask } from './mask-address.ts'
import type { NameRequest } from './name-requests.ts'
import { type Call, canLose, type Fault } from './plan.ts'
import type { ApiProfile } from './profile-file.ts'

/** Requests beyond this number are passed on, but not judged. */
const exchangesMax = 20_000
/** As much of a response is kept: of an error for its code, of others if bodies are recorded. */
const responseBytesMax = 16 * 1024
/** How much is kept of all bodies together. */
const bodyCharactersMax = 32 * 1024 * 1024
/** Only these headers are recorded, and those that the profile names. No credential is among them. */
const headersKept = [
  'accept',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'if-match',
  'if-none-match',
  'last-event-id',
  'link',
  'location',
  'prefer',
  'retry-after',
  'transfer-encoding',
  'user-agent',
]

type Headers = Readonly<Record<string, string>>
type Draft = { -readonly [Field in keyof Exchange]: Exchange[Field] }

/** A request that is being recorded. */
export interface Recorded {
  readonly call: Call
  disturb(fault: Fault): void
  /** More of the request's body, after its beginning. */
  addToBody(chunk: Uint8Array): void
  /** What the client got of the response so far. */
  respond(status: number, headers: Headers): void
  addToResponse(chunk: Uint8Array): void
  /** Only the first end counts. */
  end(received: Received): void
}

export interface Recorder {
  record(request: IncomingMessage, beginning: Beginning, arrivedMs: number): Recorded
  exchanges(): readonly Exchange[]
  /** What was sent and received, if bodies are kept. */
  bodiesOf(id: number): Bodies | undefined
  /** All requests, including those that are not recorded. */
  count(): number
}

interface Bodies {
  /** Undefined if it is too long. */
  readonly request: string | undefined
  response: string
}

interface Options {
  readonly profile: ApiProfile
  readonly nameRequest: NameRequest
  readonly keepsBodies: boolean
}

/** Whole milliseconds, as archives have them, of a clock that never goes back. */
export const nowMs = (): number => Math.floor(performance.timeOrigin + performance.now())

export const flatten = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]))

/** Records what a client sends and receives, without credentials, and bodies only as hashes. */
export function createRecorder({ profile, nameRequest, keepsBodies }: Options): Recorder {
  const { rules, credentials } = profile
  const kept = new Set([...headersKept, ...headersOf(profile)])
  const mask = createMask(rules.credentials?.inAddress)
  const numberOfClient = createNumbers()
  const numberOfConnection = createNumbers()
  const exchanges: Draft[] = []
  const bodies = new Map<number, Bodies>()
  let bodiesLeft = bodyCharactersMax
  let count = 0

  const keep = (headers: Headers): Record<string, string> =>
    Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => kept.has(name))
        .map(([name, value]) => [name, mask(value).text]),
    )

  return {
    record(request, { bytes, isWhole }, arrivedMs) {
      const { method = 'GET', socket } = request
      const headers = flatten(request.headers)
      const text = isWhole ? new TextDecoder().decode(bytes) : ''
      const target = targetOf(request)
      const [path = '', query = ''] = target.split('?')
      const operation = nameRequest({ method, path, query, headers, body: text })
      // Of a longer body always the same part, however it is divided.
      const known = bytes.subarray(0, beginningBytesMax)
      const { body, name } = bytes.length > 0 ? digestBody(known, rules.repeats?.field) : {}
      const whole = isWhole ? undefined : createHash('sha256').update(bytes)
      const credential = credentialOf(headers, credentials)
      const masked = mask(target)
      const draft: Draft = {
        id: ++count,
        client: credential === '' ? undefined : numberOfClient(credential),
        connection: numberOfConnection(`${socket.remoteAddress} ${socket.remotePort}`),
        method,
        target: masked.text,
        ...(masked.hasCredential && { hasCredential: true }),
        operation,
        headers: keep(headers),
        name,
        body,
        ...(!isWhole && { bodyCut: true }),
        received: 'open',
        status: null,
        responseHeaders: {},
        arrivedMs,
        apiArrivedMs: arrivedMs,
        durationMs: null,
      }
      const isRecorded = exchanges.length < exchangesMax
      if (isRecorded) exchanges.push(draft)
      if (isRecorded && keepsBodies && bodiesLeft > 0)
        bodies.set(draft.id, { request: isWhole ? text : undefined, response: '' })
      bodiesLeft -= text.length
      const error: Uint8Array[] = []
      let errorBytes = 0
      // The times of a body are those of the try.
      const [content] = (body ?? '').split(' ')
      return {
        call: {
          operation,
          canLose: canLose(operation, method, profile),
          key: JSON.stringify([draft.client, method, target, operation, headers['if-match'], content]),
        },
        disturb(fault) {
          draft.fault = fault
        },
        addToBody: (chunk) => void whole?.update(chunk),
        respond(status, responseHeaders) {
          draft.status = status
          draft.responseHeaders = keep(responseHeaders)
        },
        addToResponse(chunk) {
          const own = bodies.get(draft.id)
          if (own && own.response.length < responseBytesMax) own.response += new TextDecoder().decode(chunk)
          if ((draft.status ?? 0) < 400 || errorBytes > responseBytesMax) return
          error.push(chunk)
          errorBytes += chunk.length
        },
        end(received) {
          if (draft.durationMs !== null) return
          draft.received = received
          draft.durationMs = nowMs() - arrivedMs
          draft.responseBody = keepCode(error, draft.responseHeaders['content-encoding'], rules.errors?.codeField)
          bodiesLeft -= bodies.get(draft.id)?.response.length ?? 0
          if (!whole || !request.complete) return
          draft.body = formatHash(whole)
          delete draft.bodyCut
        },
      }
    },
    exchanges: () => exchanges,
    bodiesOf: (id) => bodies.get(id),
    count: () => count,
  }
}

/** The headers that the rules and the names of operations need. */
export const headersOf = ({ rules, operations }: ApiProfile): string[] =>
  [
    rules.repeats?.header,
    rules.limits?.resetHeader,
    rules.limits?.remainingHeader,
    rules.bans?.windowsHeader,
    rules.deprecation?.header,
    ...(rules.deprecation ? ['sunset'] : []),
    ...operations.map(({ header }) => header),
  ].filter((name) => name !== undefined)

/** What tells clients apart. */
export function credentialOf(headers: Headers, { headers: names, part }: ApiProfile['credentials']): string {
  const values = names.map((name) => headers[name] ?? '')
  return values
    .map((value) => (part === undefined ? value : (new RegExp(part).exec(value)?.[1] ?? value)))
    .join('\n')
    .trim()
}

/** Numbers values in the order they come. */
export function createNumbers(): (value: string) => number {
  const numbers = new Map<string, number>()
  return (value) => numbers.getOrInsertComputed(value, () => numbers.size + 1)
}

const unpack: Readonly<Record<string, (bytes: Uint8Array, options: object) => Uint8Array>> = {
  gzip: (bytes, options) => gunzipSync(bytes, options),
  deflate: (bytes, options) => inflateSync(bytes, options),
  br: (bytes, options) => brotliDecompressSync(bytes, options),
}

/** Only the code of an error is kept, as JSON. */
function keepCode(parts: readonly Uint8Array[], encoding: string | undefined, field: string | undefined) {
  if (parts.length === 0 || field === undefined) return undefined
  const bytes = Buffer.concat(parts)
  try {
    const text = encoding === undefined ? bytes : unpack[encoding]?.(bytes, { finishFlush: constants.Z_SYNC_FLUSH })
    const code = errorCodeIn(new TextDecoder().decode(text), field)
    return code === undefined ? undefined : JSON.stringify({ [field]: code })
  } catch {
    return undefined
  }
}
