import type { OperationPattern } from './profile-file.ts'

/** What decides the name of a request. */
export interface NamedBy {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty if it is too long to be kept. */
  readonly body: string
}

export type NameRequest = (request: NamedBy) => string

interface Route {
  readonly name: string
  readonly method: string
  readonly path: RegExp
}

/** What an OpenAPI document says about operations. */
export interface Description {
  readonly servers?: readonly { readonly url?: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Names requests by the patterns of a profile, else by the operations of a description, else by method and path. */
export function createNaming(patterns: readonly OperationPattern[], description: Description = {}): NameRequest {
  const tests = patterns.map(testOf)
  const routes = routesOf(description)
  return (request) => {
    for (const test of tests) {
      const name = test(request)
      if (name !== undefined) return name
    }
    const route = routes.find(({ method, path }) => method === request.method && path.test(request.path))
    return route?.name ?? `${request.method} ${withoutIds(request.path)}`
  }
}

/** Returns the name if a request matches. */
function testOf({
  name,
  method,
  path,
  query,
  header,
  value,
  body,
}: OperationPattern): (request: NamedBy) => string | undefined {
  const [pathPattern, queryPattern, valuePattern, bodyPattern] = [path, query, value, body].map(
    (text) => new RegExp(text ?? ''),
  )
  return (request) => {
    if (method !== undefined && method !== request.method) return undefined
    const text = header === undefined ? '' : request.headers[header]
    const found = text === undefined ? null : valuePattern?.exec(text)
    const isMatch =
      pathPattern?.test(request.path) && queryPattern?.test(request.query) && bodyPattern?.test(request.body)
    if (!found || !isMatch) return undefined
    return name.replace(/\$(\d)/g, (_, group) => found[Number(group)] ?? '')
  }
}

/** The names of the operations of a description. */
export const operationsOf = ({ paths = {} }: Description) =>
  Object.entries(paths).flatMap(([template, item]) =>
    methods
      .filter((method) => item?.[method] instanceof Object)
      .map((method) => {
        const definition = item?.[method] as object
        const { operationId } = definition as { operationId?: string }
        const upper = method.toUpperCase()
        return { name: operationId ?? `${upper} ${template}`, method: upper, template, definition, item: item ?? {} }
      }),
  )

/** Paths without parameters first: `/pets/counts` is not a pet. */
function routesOf(description: Description): Route[] {
  const base = basePathOf(description)
  return operationsOf(description)
    .toSorted((a, b) => countParameters(a.template) - countParameters(b.template))
    .map(({ name, method, template }) => ({ name, method, path: patternOf(base + template) }))
}

const countParameters = (template: string): number => template.split('{').length - 1

const patternOf = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(/\{[^}]*\}/)
      .map((text) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&'))
      .join('[^/]+')}/?$`,
  )

/** The path that all operations begin with. */
function basePathOf({ servers }: Description): string {
  const url = servers?.[0]?.url ?? ''
  const { pathname } = URL.parse(url, 'http://localhost') ?? { pathname: '/' }
  return pathname.replace(/\/$/, '')
}

const id = /^(?:\d+|[\da-f]{8,}(?:-[\da-f]{4,}){0,4}|.*\d.*[_-].*|[A-Za-z]+_\w{8,})$/i

/** Paths that differ only in what looks like an id are one operation. */
const withoutIds = (path: string): string =>
  path
    .split('/')
    .map((part) => (id.test(part) ? '{id}' : part))
    .join('/')
