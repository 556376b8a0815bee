import { errorName } from './errors.ts'
import type { Components, JsonSchema } from './json-schema.ts'

export type Paths = Record<string, Record<string, JsonSchema>>

/** Moves parameters and responses that several operations share, word for word, to the components. */
export function shareRepeats(paths: Paths, { parameters, responses }: Components): void {
  const operations = Object.values(paths).flatMap((path) => Object.values(path)) as unknown as Described[]
  share('parameters', parameterName, parameters, operations)
  share('responses', responseName, responses, operations)
}

interface Described {
  readonly parameters: JsonSchema[]
  readonly responses: Record<string, JsonSchema>
}

/** Replaces what occurs more than once with references. The first of several with one name gets it; what has no name stays where it is. */
function share(
  kind: keyof Described,
  nameOf: (node: JsonSchema, key: string) => string | undefined,
  components: Record<string, JsonSchema>,
  operations: readonly Described[],
): void {
  const lists = operations.map((operation) => operation[kind] as Record<string, JsonSchema>)
  const places = lists.flatMap((list) => Object.entries(list).map(([key, node]) => ({ list, key, node })))
  for (const same of Map.groupBy(places, ({ node }) => JSON.stringify(node)).values()) {
    const [{ node, key: firstKey } = { node: {}, key: '' }] = same
    const name = nameOf(node, firstKey)
    if (same.length === 1 || '$ref' in node || name === undefined || name in components) continue
    components[name] = node
    for (const { list, key } of same) list[key] = { $ref: `#/components/${kind}/${name}` }
  }
}

const parameterName = ({ name }: JsonSchema): string => String(name).replace(/^\w/, (first) => first.toUpperCase())

/** Headers that only some operations send: a response with one has a different name. */
const marks: Readonly<Record<string, string>> = {
  Deprecation: 'Deprecated',
  'Idempotent-Replayed': 'Replayable',
}

interface Response {
  readonly headers?: object
  readonly content?: { readonly 'application/json'?: { readonly examples?: object } }
}

/** Only errors, and responses without a body: swagger-typescript-api does not read the body of a shared success. */
function responseName({ headers = {}, content }: Response, status: string): string | undefined {
  const codes = Object.keys(content?.['application/json']?.examples ?? {})
  const empty = status === '304' ? 'NotModified' : 'NoContent'
  const name = content === undefined ? empty : errorName(codes)
  return (
    name &&
    Object.keys(headers)
      .map((header) => marks[header] ?? '')
      .join('') + name
  )
}
