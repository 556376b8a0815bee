import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  AuthenticationError,
  BannedError,
  ConflictError,
  type Deprecated,
  headersOf,
  InvalidRequestError,
  type List,
  NotFoundError,
  PermissionDeniedError,
  PetStore,
  PetStoreError,
  PreconditionFailedError,
  RateLimitedError,
  ServerError,
  UnexpectedResponseError,
} from '../src/index.ts'

// Every status and every error code of openapi.json, with all the headers that it declares, sent by a server that only plays the
// service: the method of each operation returns or throws what the README promises. What is expected is written here again.

type Kind = new (...given: never[]) => PetStoreError

const statusesOf: readonly (readonly [Kind, ...number[]])[] = [
  [InvalidRequestError, 400, 405, 406, 413, 414, 415, 422, 431],
  [AuthenticationError, 401],
  [PermissionDeniedError, 403],
  [NotFoundError, 404, 410],
  [ConflictError, 409],
  [PreconditionFailedError, 412],
  [RateLimitedError, 429],
  [ServerError, 500, 501, 502, 503, 504, 505],
  [PetStoreError, 418],
]
const statuses = statusesOf.flatMap(([, ...all]) => all)

/** A call that fails in one of these ways is made again. */
const retriedCodes = new Set([
  'rate_limited',
  'quota_exhausted',
  'unavailable',
  'outcome_unknown',
  'internal_error',
  'idempotency_in_progress',
])

/** Half of the 250 ms of the first back-off: the random numbers of these tests are all 0.5. */
const firstBackOffMs = 125
const startedAt = Date.parse('2026-11-15T12:00:00Z')

interface Schema {
  readonly example?: unknown
  readonly type?: string
  readonly items?: Schema
}
interface Media {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}
interface Described {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, Media>>
}
interface Operation {
  readonly 'x-sdk-call': string
  readonly deprecated?: boolean
  readonly parameters?: readonly unknown[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, unknown>>
}
interface Fault {
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly docs: string
  readonly errors?: readonly object[]
}
/** What the server sends. */
interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

const document = JSON.parse(readFileSync(join(import.meta.dir, '../../openapi.json'), 'utf8'))

/** The part of the description that this is, or that it refers to. */
function resolve<T>(part: unknown): T {
  const { $ref } = part as { $ref?: string }
  if ($ref === undefined) return part as T
  return resolve(
    $ref
      .slice(2)
      .split('/')
      .reduce((at, name) => at[name], document),
  )
}

function exampleOf({ schema, example }: Media): unknown {
  const { items, ...rest } = resolve<Schema>(schema)
  return example ?? rest.example ?? (items && [exampleOf({ schema: items })])
}

const successor = 'https://petstore.example.com/pets/7/profile'
/** The description's example is that of a list. */
const linkOfDeprecated = `<https://petstore.example.com/docs>; rel="deprecation"; type="text/html", <${successor}>; rel="successor-version"`

/** The values of the description's examples; a response's own id is also in its body. */
function headersFrom({ headers = {} }: Described): Record<string, string> {
  const values = Object.entries(headers).map(([name, header]) => [name, String(resolve<Schema>(header).example)])
  return { ...Object.fromEntries(values), ...('Deprecation' in headers && { Link: linkOfDeprecated }) }
}

const faultOf = (example: unknown, headers: Readonly<Record<string, string>>): Fault => ({
  ...resolve<{ value: Fault }>(example).value,
  requestId: headers['X-Request-Id'] ?? '',
})

const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const { 'x-sdk-call': call, requestBody, responses } = operation
    const parameters = (operation.parameters ?? []).map(resolve<{ in: string; name: string }>)
    const ids = parameters.filter((parameter) => parameter.in === 'path').map((_, index) => 7 + index)
    const left = [...ids]
    const body = requestBody && exampleOf(requestBody.content['application/json'] as Media)
    const takesQuery = parameters.some((parameter) => parameter.in === 'query')
    const answers = Object.entries(responses).flatMap(([status, response]): Answer[] => {
      const described = resolve<Described>(response)
      const headers = headersFrom(described)
      const [type = '', media] = Object.entries(described.content ?? {})[0] ?? []
      if (Number.isNaN(Number(status))) return []
      if (Number(status) >= 400) {
        return Object.values(media?.examples ?? {}).map((example) => ({
          status: Number(status),
          headers,
          body: faultOf(example, headers),
        }))
      }
      return [
        { status: Number(status), headers: { ...headers, 'Content-Type': type }, body: media && exampleOf(media) },
      ]
    })
    return {
      call,
      name: `${method.toUpperCase()} ${template}`,
      sends: `${method.toUpperCase()} ${template.replace(/\{\w+\}/g, () => String(left.shift()))}`,
      body,
      arguments: [...ids, ...(body === undefined ? [] : [body]), ...(takesQuery ? [{}] : [])],
      isList: parameters.some(({ name }) => name === 'cursor'),
      isStream: call === 'events.follow',
      isDeprecated: operation.deprecated === true,
      successes: answers.filter(({ status }) => status < 300),
      notModified: answers.find(({ status }) => status === 304),
      errors: answers.filter(({ status }) => status >= 400),
    }
  }),
)
type Called = (typeof operations)[number]

interface Received {
  readonly line: string
  readonly headers: Headers
  readonly body: unknown
}

let script: Answer[] = []
let received: Received[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const text = await request.text()
    const line = `${request.method} ${new URL(request.url).pathname}`
    received.push({ line, headers: request.headers, body: text === '' ? undefined : JSON.parse(text) })
    const { status, headers, body } = script.shift() ?? { status: 599, headers: {}, body: 'One request too many.' }
    const init = { status, headers: { 'Content-Type': 'application/json', ...headers } }
    if (body === undefined) return new Response(null, init)
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), init)
  },
})
afterAll(() => server.stop(true))

/** Calls the method of an operation at a server that sends these answers, one after the other. */
function meet(operation: Pick<Called, 'call' | 'arguments' | 'isList' | 'isStream'>, answers: Answer[]) {
  script = [...answers]
  received = []
  const slept: number[] = []
  const notices: Deprecated[] = []
  let now = startedAt
  const petstore = new PetStore({
    baseUrl: server.url.href,
    apiKey: 'ps_every_status',
    now: () => now,
    random: () => 0.5,
    sleep: async (ms) => {
      slept.push(ms)
      now += ms
    },
    onDeprecated: (notice) => notices.push(notice),
  })
  async function send(options: object = {}): Promise<unknown> {
    const names = operation.call.split('.')
    const method = names.pop() ?? ''
    const owner = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], petstore)
    const result = (owner as Record<string, (...given: unknown[]) => unknown>)[method]?.(
      ...operation.arguments,
      options,
    )
    if (operation.isList) return (result as List<unknown>).firstPage()
    if (!operation.isStream) return result
    for await (const event of result as AsyncIterable<unknown>) return event
    return undefined
  }
  return { send, petstore, slept, notices, sent: () => received }
}

const failure = (call: Promise<unknown>) =>
  call.then(
    (result) => ({ succeeded: result }),
    (error) => error,
  )

/** What the headers that every response has say of the limits. */
const limitsIn = (now: number) => ({
  minute: { limit: 60, remaining: 59, resetAt: new Date(now + 42_000) },
  day: { limit: 1000, remaining: 999, resetAt: new Date(now + 51_234_000) },
})

const notice = { since: new Date(1_793_491_200_000), sunset: new Date('2027-06-30T23:59:59Z'), successor }
const noticesOf = ({ name, isDeprecated }: Called) => (isDeprecated ? [{ operation: name, ...notice }] : [])

/** What a call returns for a success. */
function resultOf({ isList, isStream }: Called, { status, headers, body }: Answer): unknown {
  if (status === 204) return undefined
  if (isStream) return JSON.parse(/^data: (.*)$/m.exec(String(body))?.[1] ?? '')
  return isList ? { items: body, ...('Link' in headers && { next: 'WyJpZCIsMjBd' }) } : body
}

const kindOf = (status: number, code?: string): Kind =>
  code === 'key_banned' ? BannedError : (statusesOf.find(([, ...all]) => all.includes(status))?.[0] as Kind)

/** The error as JSON, which has every field. */
function errorFor({ status, headers, body }: Answer): object {
  const { code, message, requestId, docs, errors = [] } = body as Fault
  const { name } = kindOf(status, code)
  const wait = 'Retry-After' in headers && { retryAfterMs: 18_000 }
  const end = code === 'key_banned' && { until: new Date(startedAt + 18_000).toISOString() }
  return { name, code, status, message, requestId, docs, errors, ...wait, ...end }
}

const json = (value: unknown) => JSON.parse(JSON.stringify(value))
const isRetried = ({ body }: Answer) => retriedCodes.has((body as Fault).code)
const codeOf = ({ status, body }: Answer) => `${status} ${(body as Fault).code}`

test.each(operations)(
  '$call sends its request, and returns what the service sent, with its headers',
  async (operation) => {
    expect(operation.successes).not.toEqual([])
    for (const answer of operation.successes) {
      const { send, petstore, slept, notices, sent } = meet(operation, [answer])
      const result = await send()
      expect(json({ result })).toEqual(json({ result: resultOf(operation, answer) }))
      expect(sent().map(({ line, body }) => ({ line, body }))).toEqual([
        { line: operation.sends, body: operation.body },
      ])
      expect({ limits: petstore.limits.last, notices, slept }).toEqual({
        limits: limitsIn(startedAt),
        notices: noticesOf(operation),
        slept: [],
      })
      if (result !== undefined && !operation.isList && !operation.isStream) {
        const kept = Object.fromEntries(headersOf(result as object) ?? [])
        const lowerCase = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value])
        expect(kept).toMatchObject(Object.fromEntries(lowerCase))
      }
    }
  },
)

test.each(operations.filter(({ notModified }) => notModified))(
  '$call returns what is known if the service says that it has not changed',
  async (operation) => {
    const [first, { notModified }] = [operation.successes[0] as Answer, operation]
    const { send, notices, sent } = meet(operation, [first, notModified as Answer])
    const known = await send()
    expect(await send({ known })).toBe(known)
    expect(sent().map(({ headers }) => headers.get('If-None-Match'))).toEqual([null, first.headers.ETag as string])
    expect(notices).toEqual(noticesOf(operation))
  },
)

test.each(operations)(
  '$call throws each of its errors as its kind, with everything that the service said',
  async (operation) => {
    expect(operation.errors.length).toBeGreaterThan(5)
    for (const answer of operation.errors) {
      // A stream that is followed is opened again, however often it is tried.
      if (operation.isStream && isRetried(answer)) continue
      const { send, petstore, slept, notices, sent } = meet(operation, [answer])
      const error = await failure(send({ attemptsMax: 1 }))
      expect(json(error)).toEqual(errorFor(answer))
      expect(error).toBeInstanceOf(kindOf(answer.status, error.code))
      expect(error).toBeInstanceOf(PetStoreError)
      expect({ sent: sent().length, slept, limits: petstore.limits.last, notices }).toEqual({
        sent: 1,
        slept: [],
        limits: limitsIn(startedAt),
        notices: noticesOf(operation),
      })
    }
  },
)

test.each(operations)(
  '$call is made again after an error that may pass, when the service says, and after no other',
  async (operation) => {
    const success = operation.successes[0] as Answer
    for (const answer of operation.errors) {
      const { send, slept, notices, sent } = meet(operation, [answer, success])
      const outcome = json({ code: codeOf(answer), of: await failure(send()) })
      const keys = sent().map(({ headers }) => headers.get('Idempotency-Key'))
      expect(notices).toEqual(noticesOf(operation))
      if (!isRetried(answer)) {
        expect(outcome).toEqual({ code: codeOf(answer), of: errorFor(answer) })
        expect({ slept, sent: keys.length }).toEqual({ slept: [], sent: 1 })
        continue
      }
      const succeeded = resultOf(operation, success)
      expect(outcome).toEqual(json({ code: codeOf(answer), of: { succeeded } }))
      const waitMs = 'Retry-After' in answer.headers ? 18_000 : firstBackOffMs
      expect([codeOf(answer), slept, keys.length]).toEqual([codeOf(answer), [waitMs], 2])
      expect({ key: typeof keys[0], again: keys[1] }).toEqual({
        key: operation.sends.startsWith('POST') ? 'string' : 'object',
        again: keys[0] as string,
      })
    }
  },
)

const place = operations.find(({ call }) => call === 'store.orders.place') as Called
const anyHeaders = place.errors[0]?.headers ?? {}

test('nobody waits for a service that asks for more than the time of a call', async () => {
  const answers = place.errors.filter(isRetried).filter(({ headers }) => 'Retry-After' in headers)
  expect(answers.map(codeOf).toSorted()).toEqual([
    '429 quota_exhausted',
    '429 rate_limited',
    '503 outcome_unknown',
    '503 unavailable',
  ])
  for (const answer of answers) {
    const headers = { ...answer.headers, 'Retry-After': '121' }
    const { send, slept, sent } = meet(place, [{ ...answer, headers }])
    expect(json(await failure(send()))).toEqual({ ...errorFor(answer), retryAfterMs: 121_000 })
    expect({ slept, sent: sent().length }).toEqual({ slept: [], sent: 1 })
  }
})

test.each(statuses)(
  'a %i with a code that the description does not know has the class of its status',
  async (status) => {
    const body = { code: 'gnawed_cable', message: 'A rat was here.', requestId: 'r1', docs: 'https://rats.example' }
    const answer = { status, headers: { ...anyHeaders, Allow: 'GET, HEAD, OPTIONS' }, body }
    const { send, petstore } = meet(place, [answer])
    const error = await failure(send({ attemptsMax: 1 }))
    expect(json(error)).toEqual(errorFor(answer))
    expect(error).toBeInstanceOf(kindOf(status))
    expect(petstore.limits.last).toEqual(limitsIn(startedAt))
  },
)

test.each(statuses)('a %i that is not from the service says so, and shows it', async (status) => {
  const headers = { 'Content-Type': 'text/html', 'X-Request-Id': 'proxy-1', 'Retry-After': '18' }
  const { send, petstore } = meet(place, [{ status, headers, body: '<h1>Rats</h1>' }])
  const error = await failure(send({ attemptsMax: 1 }))
  expect(error).toBeInstanceOf(UnexpectedResponseError)
  expect(json(error)).toEqual({
    name: 'UnexpectedResponseError',
    code: 'unexpected_response',
    status,
    message: `This response is not from the service: ${status} <h1>Rats</h1>`,
    requestId: 'proxy-1',
    errors: [],
    retryAfterMs: 18_000,
  })
  expect(petstore.limits.last).toBeUndefined()
})
