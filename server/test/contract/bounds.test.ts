import { afterAll, expect, test } from 'bun:test'
import { startService } from '../harness/service.ts'
import { bodyOf, newAdministrator, newIdsFor, pathOf } from './example-request.ts'

// Every bound that the description names, of every field, parameter and header: what reaches it is accepted, and what is one beyond is
// rejected with the place of the fault.

const service = await startService()
afterAll(() => service.stop())
const api = await newAdministrator(service)

// biome-ignore lint/suspicious/noExplicitAny: a schema is a tree of unknown depth
type Tree = any

interface Bound {
  /** Where the value is: `body`, or the place of a parameter. */
  readonly in: string
  readonly path: string
  readonly keyword: string
  readonly at: unknown
  readonly beyond: unknown
}

const { schemas } = service.contract.description.components
const resolve = (schema: Tree): Tree => (schema.$ref ? schemas[schema.$ref.split('/').at(-1)] : schema)

/** A text of this length that the field accepts. */
const textOf = ({ format }: Tree, length: number): string =>
  format === 'uri' ? 'https://shop.example/'.padEnd(length, 'x') : 'x'.repeat(length)

/** Ids of events are opaque: none is invented here. */
const isEventId = (path: string): boolean => path === '/after' || path === '/Last-Event-ID'

/** The bounds of a value and of all within it. `example`: a valid one, if there is an example. */
function boundsOf(place: string, path: string, described: Tree, example: Tree): Bound[] {
  const schema = resolve(described)
  const bound = (keyword: string, toValue: (size: number) => unknown): Bound[] => {
    const size = schema[keyword]
    const beyond = keyword.startsWith('max') ? size + 1 : size - 1
    // An empty list cannot be written in a query.
    const isUnsayable = beyond < 0 ? keyword !== 'minimum' : place === 'query' && keyword === 'minItems'
    if (size === undefined || isUnsayable || isEventId(path)) return []
    return [{ in: place, path, keyword, at: toValue(size), beyond: toValue(beyond) }]
  }
  const item = Array.isArray(example) ? example[0] : undefined
  return [
    ...(schema.allOf ?? []).flatMap((part: Tree) => boundsOf(place, path, part, example)),
    ...['minimum', 'maximum'].flatMap((keyword) => bound(keyword, (size) => size)),
    ...['minLength', 'maxLength'].flatMap((keyword) => bound(keyword, (size) => textOf(schema, size))),
    ...['minItems', 'maxItems'].flatMap((keyword) => bound(keyword, (size) => Array(size).fill(item))),
    ...Object.entries<Tree>(schema.properties ?? {}).flatMap(([name, field]) =>
      boundsOf(place, `${path}/${name}`, field, example?.[name]),
    ),
    ...(schema.items && place === 'body' ? boundsOf(place, `${path}/0`, schema.items, item) : []),
  ]
}

/** A copy of a body with this value at a path. */
function withValue(body: Tree, [name, ...rest]: readonly string[], value: unknown): Tree {
  if (name === undefined) return value
  const changed = withValue(body?.[name], rest, value)
  return Array.isArray(body) ? body.with(Number(name), changed) : { ...body, [name]: changed }
}

const queryOf = (name: string, value: unknown): string =>
  `?${(Array.isArray(value) ? value : [value]).map((each) => `${name}=${each}`).join('&')}`

const found = service.contract.operations().flatMap((operation) => {
  const { requestBody, parameters } = operation.spec
  const media = requestBody?.content['application/json']
  const bounds = [
    ...(media ? boundsOf('body', '', media.schema, operation.exampleBody) : []),
    ...parameters
      .filter((parameter: Tree) => parameter.in !== 'path')
      .flatMap(({ in: place, name, schema, example }: Tree) => boundsOf(place, `/${name}`, schema, example)),
  ]
  return bounds.map((bound) => ({
    operation,
    bound,
    name: `${operation.id} ${bound.in} ${bound.path} ${bound.keyword}`,
  }))
})

test('the description names bounds of bodies, queries and headers', () => {
  expect(found.length).toBeGreaterThan(120)
  expect(new Set(found.map(({ bound }) => bound.in))).toEqual(new Set(['body', 'query', 'header']))
})

test.each(found)('$name', async ({ operation, bound: { in: place, path, at, beyond } }) => {
  const ids = await newIdsFor(operation, api)
  const faultsOf = async (value: unknown): Promise<string[]> => {
    const body = bodyOf(operation, ids)
    const target = pathOf(operation, ids) + (place === 'query' ? queryOf(path.slice(1), value) : '')
    const changed = place === 'body' ? withValue(body, path.split('/').slice(1), value) : body
    const headers = place === 'header' ? { [path.slice(1)]: String(value) } : {}
    const { status, body: response } = await api.send(operation.method, target, changed, headers)
    return status === 400 ? response.errors.map((fault: { path: string }) => fault.path) : []
  }
  expect(await faultsOf(beyond)).toContain(path)
  // A stream that is opened does not end.
  if (operation.id !== 'streamEvents') expect(await faultsOf(at)).not.toContain(path)
})
