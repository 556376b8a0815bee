import { stringify } from 'yaml'
import { type Description, operationsOf } from './name-requests.ts'

interface Schemed {
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
interface Parameter {
  readonly name?: string
  readonly in?: string
}
interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}
interface Response {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, Media>>
}
interface Operation {
  readonly parameters?: readonly unknown[]
  readonly responses?: Readonly<Record<string, unknown>>
}

/** One entry of the profile, or what the description does not say. */
type Entry = { readonly name: string; readonly value: unknown } | { readonly unknown: string }

const tokenHeader = /idempotency|request-token|client-token/i
const limitedStatus = '429'
const unavailableStatus = '503'

/** Writes what a description says of how clients should behave as a profile, with a comment for all that it does not say. */
export function draftProfile(description: Description & Schemed): string {
  const resolve = createResolver(description)
  const operations = operationsOf(description).map(({ name, method, definition, item }) => {
    const { parameters = [], responses = {} } = definition as Operation
    const ofPath = (item as Operation).parameters ?? []
    return {
      name,
      method,
      parameters: [...ofPath, ...parameters].map((each) => resolve<Parameter>(each)),
      responseOf: (status: string) =>
        responses[status] === undefined ? undefined : resolve<Response>(responses[status]),
      responses: Object.values(responses).map((each) => resolve<Response>(each)),
    }
  })
  const withHeader = (pattern: RegExp) =>
    operations.filter(({ parameters }) =>
      parameters.some((each) => each.in === 'header' && pattern.test(each.name ?? '')),
    )
  const respondWith = (header: string) =>
    operations.some(({ responses }) => responses.some(({ headers }) => valueIn(headers, header) !== undefined))

  const named = withHeader(tokenHeader)
  const [tokens] = named.map(({ parameters }) => parameters.find(({ name = '' }) => tokenHeader.test(name))?.name)
  const edits = withHeader(/^if-match$/i)
  const cursor = operations
    .flatMap(({ parameters }) => parameters)
    .find((each) => each.in === 'query' && /^(cursor|page_?token)$/i.test(each.name ?? ''))?.name
  const limited = operations.map(({ responseOf }) => responseOf(limitedStatus)).find(Boolean)
  const unavailable = operations.map(({ responseOf }) => responseOf(unavailableStatus)).find(Boolean)

  const entries: Entry[] = [
    ...credentialsIn(description, resolve),
    ...(limited
      ? [
          { name: 'limits', value: { statuses: [Number(limitedStatus)], scope: 'operation' } },
          { unknown: 'limits.scope: does a 429 stop the whole client (client), or only that operation (operation)?' },
        ]
      : [{ unknown: 'limits: no operation declares 429. How does the API say that a client sends too much?' }]),
    ...(tokens === undefined
      ? [
          {
            unknown:
              'repeats: no operation declares a token such as Idempotency-Key. Which ones must not be done twice?',
          },
        ]
      : [
          {
            name: 'repeats',
            value: {
              methods: [...new Set(named.map(({ method }) => method))],
              header: tokens.toLowerCase(),
              operations: named.map(({ name }) => name),
            },
          },
        ]),
    edits.length === 0
      ? { unknown: 'conditions: no operation declares If-Match.' }
      : { name: 'conditions', value: { operations: edits.map(({ name }) => name) } },
    cursor !== undefined && respondWith('link')
      ? { name: 'pages', value: { cursor } }
      : { unknown: 'pages: no list declares a cursor and a Link header.' },
    ...(respondWith('deprecation') ? [{ name: 'deprecation', value: { header: 'deprecation' } }] : []),
    ...sendsOf({ limited, unavailable }, resolve),
  ]
  return entries.map(lineOf).join('')
}

const lineOf = (entry: Entry): string =>
  'unknown' in entry
    ? `# ${entry.unknown}\n`
    : stringify({ [entry.name]: entry.value }, { collectionStyle: 'flow', lineWidth: 0 })
        .replace(/^\{\s*|\s*\}\n$/g, '')
        .concat('\n')

/** Header names are the same in any case. */
const valueIn = (headers: Readonly<Record<string, unknown>> = {}, name: string): unknown =>
  Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]

/** References that lead further than this lead nowhere. */
const referencesMax = 20

/** Follows references. What cannot be found has no fields. */
function createResolver(description: Schemed) {
  return function resolve<T extends object>(value: unknown): T {
    let found = value
    for (let followed = 0; followed < referencesMax; followed++) {
      const { $ref } = Object(found) as { $ref?: string }
      if (typeof $ref !== 'string') return Object(found)
      const names = $ref.replace(/^#\//, '').split('/').map(unescapeName)
      found = names.reduce((at: unknown, name) => Object(at)[name], description)
    }
    return {} as T
  }
}
/** As JSON pointers write names. */
const unescapeName = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

type Resolve = ReturnType<typeof createResolver>

function credentialsIn({ components }: Schemed, resolve: Resolve): Entry[] {
  const schemes = Object.values(components?.securitySchemes ?? {}).map((each) =>
    resolve<{ type?: string; in?: string; name?: string }>(each),
  )
  const headers = schemes.flatMap((scheme) => {
    if (scheme.type === 'apiKey') return scheme.in === 'header' ? [(scheme.name ?? '').toLowerCase()] : []
    return ['authorization']
  })
  if (headers.length === 0)
    return [{ unknown: 'credentials: no security scheme with a header. What tells clients apart?' }]
  return [{ name: 'credentials', value: { headers: [...new Set(headers)] } }]
}

/** Only what the description shows as an example is sent. */
function sendsOf(responses: Readonly<Record<string, Response | undefined>>, resolve: Resolve): Entry[] {
  const statuses: Readonly<Record<string, string>> = { limited: limitedStatus, unavailable: unavailableStatus }
  const found = Object.entries(responses).map(([name, response]) => ({ name, sent: exampleOf(response, resolve) }))
  const sends = found.flatMap(({ name, sent }) => {
    if (sent === undefined) return []
    const headers = { 'content-type': sent.type, ...(sent.asksToWait && { 'retry-after': '2' }) }
    return [[name, { status: Number(statuses[name]), headers, body: sent.body }] as const]
  })
  return [
    ...(sends.length > 0 ? [{ name: 'sends', value: Object.fromEntries(sends) }] : []),
    ...(found.some(({ sent }) => sent?.asksToWait)
      ? [{ unknown: 'sends: for how long does Retry-After ask to wait? The 2 seconds above are an example.' }]
      : []),
    ...found
      .filter(({ sent }) => sent === undefined)
      .map(({ name }) => ({
        unknown: `sends.${name}: no example of a ${statuses[name]}. Copy a real one, or this fault is not simulated.`,
      })),
  ]
}

function exampleOf(response: Response | undefined, resolve: Resolve) {
  for (const [type, { example, examples = {} }] of Object.entries(response?.content ?? {})) {
    const [first] = Object.values(examples).map((each) => resolve<{ value?: unknown }>(each).value)
    const body = example ?? first
    const text = typeof body === 'string' && !/json/.test(type) ? body : JSON.stringify(body)
    if (body !== undefined)
      return { type, body: text, asksToWait: valueIn(response?.headers, 'retry-after') !== undefined }
  }
  return undefined
}
