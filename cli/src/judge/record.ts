import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Exchange, Received } from '@petstore/judge/history'
import { errorCodeIn } from '@petstore/judge/history/error-code'
import { digestBody } from './body-digest.ts'
import { maskAddress } from './mask-address.ts'
import type { NameRequest } from './name-requests.ts'
import { type Call, canLose, type Fault } from './plan.ts'
import type { ApiProfile } from './profile-file.ts'

/** Requests beyond this number are passed on, but not judged. */
const exchangesMax = 20_000
/** Where an error has its code. */
const errorBytesMax = 16 * 1024
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
  /** What the client got of the response so far. */
  respond(status: number, headers: Headers): void
  /** The beginning of the body, for the code of an error. */
  addBody(chunk: Uint8Array): void
  /** Only the first end counts. */
  end(received: Received): void
}

export interface Recorder {
  /** `beginning`: the body, or as much of it as is kept; `isWhole`: whether that is all. */
  record(request: IncomingMessage, beginning: Uint8Array, isWhole: boolean, arrivedMs: number): Recorded
  noteFault(recorded: Recorded, fault: Fault): void
  exchanges(): readonly Exchange[]
  /** What was sent and received, if bodies are kept. */
  bodiesOf(id: number): Bodies | undefined
  /** All requests, including those that are not recorded. */
  count(): number
}

interface Bodies {
  request: string
  response: string
}

interface Options {
  readonly profile: ApiProfile
  readonly nameRequest: NameRequest
  readonly keepsBodies: boolean
}

/** Milliseconds of the clock, which never goes back. */
export const nowMs = (): number => performance.timeOrigin + performance.now()

export const flatten = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]))

/** Records what a client sends and receives, without what is secret. */
export function createRecorder({ profile, nameRequest, keepsBodies }: Options): Recorder {
  const { rules, credentials } = profile
  const kept = new Set([...headersKept, ...headersOf(profile)])
  const numberOfClient = createNumbers()
  const numberOfConnection = createNumbers()
  const exchanges: Draft[] = []
  const drafts = new WeakMap<Recorded, Draft>()
  const bodies = new Map<number, Bodies>()
  let count = 0

  const keep = (headers: Headers): Record<string, string> =>
    Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => kept.has(name))
        .map(([name, value]) => [name, maskAddress(value)]),
    )

  return {
    record(request, beginning, isWhole, arrivedMs) {
      const { method = 'GET', url = '/', socket } = request
      const headers = flatten(request.headers)
      const text = isWhole ? new TextDecoder().decode(beginning) : ''
      const [path = '', query = ''] = url.split('?')
      const operation = nameRequest({ method, path, query, headers, body: text })
      const { body, name } = beginning.length > 0 ? digestBody(beginning, rules.repeats?.field) : {}
      const credential = credentialOf(headers, credentials)
      const draft: Draft = {
        id: ++count,
        client: credential === '' ? undefined : numberOfClient(credential),
        connection: numberOfConnection(`${socket.remoteAddress} ${socket.remotePort}`),
        method,
        target: maskAddress(url),
        operation,
        headers: keep(headers),
        name,
        body,
        bodyCut: !isWhole,
        received: 'open',
        status: null,
        responseHeaders: {},
        arrivedMs,
        apiArrivedMs: arrivedMs,
        durationMs: null,
      }
      if (exchanges.length < exchangesMax) exchanges.push(draft)
      if (keepsBodies) bodies.set(draft.id, { request: text, response: '' })
      let error = ''
      const recorded: Recorded = {
        call: {
          operation,
          canLose: canLose(operation, method, profile),
          key: JSON.stringify([draft.client, method, url, operation, headers['if-match'], body]),
        },
        respond(status, responseHeaders) {
          draft.status = status
          draft.responseHeaders = keep(responseHeaders)
        },
        addBody(chunk) {
          const isError = (draft.status ?? 0) >= 400
          if (!isError && !keepsBodies) return
          const part = new TextDecoder().decode(chunk)
          const own = bodies.get(draft.id)
          if (own && own.response.length < errorBytesMax) own.response += part
          if (isError && error.length < errorBytesMax) error += part
        },
        end(received) {
          if (draft.durationMs !== null) return
          draft.received = received
          draft.durationMs = nowMs() - arrivedMs
          if (received === 'cut' && draft.fault !== 'cut') draft.status = null
          draft.responseBody = keepCode(error, rules.errors?.codeField)
        },
      }
      drafts.set(recorded, draft)
      return recorded
    },
    noteFault(recorded, fault) {
      const draft = drafts.get(recorded)
      if (draft) draft.fault = fault
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

/** Only the code of an error is kept, as JSON. */
function keepCode(text: string, field: string | undefined): string | undefined {
  const code = field === undefined ? undefined : errorCodeIn(text, field)
  return code === undefined ? undefined : JSON.stringify({ [field ?? '']: code })
}
