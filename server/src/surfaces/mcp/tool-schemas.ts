import type { JsonSchema } from '../description/json-schema.ts'
import type { Described } from './described.ts'

/** The argument for a request body that is a list. */
export const itemsArgument = 'items'

/** The request headers that are arguments, by name. */
export const headerArguments: Readonly<Record<string, string>> = {
  'If-Match': 'ifMatch',
  'Idempotency-Key': 'idempotencyKey',
}

/** The schema of a tool's arguments: path, query, body and conditions side by side. */
export function inputSchemaOf({ parameters, body, isBodyRequired }: Described): JsonSchema & { type: 'object' } {
  const properties: JsonSchema = {}
  const required: string[] = []
  const example: JsonSchema = {}
  for (const parameter of parameters) {
    const { in: location, schema, description, example: value } = parameter
    const name = location === 'header' ? headerArguments[parameter.name] : parameter.name
    if (name === undefined) continue
    properties[name] = { ...schema, description, ...(value !== undefined && { examples: [value] }) }
    if (location === 'path') example[name] = value
    if (parameter.required) required.push(name)
  }
  if (body?.type === 'array') {
    properties[itemsArgument] = body
    required.push(itemsArgument)
    Object.assign(example, { [itemsArgument]: exampleOf(body.items as JsonSchema, (item) => [item]) })
  } else if (body) {
    Object.assign(properties, body.properties)
    Object.assign(
      example,
      exampleOf(body, (whole) => whole as JsonSchema),
    )
    if (isBodyRequired) required.push(...((body.required ?? []) as string[]))
  }
  const isShown = Object.keys(example).length > 0
  return { type: 'object', properties, required, additionalProperties: false, ...(isShown && { examples: [example] }) }
}

function exampleOf<T>(schema: JsonSchema, show: (example: unknown) => T): T | undefined {
  const [example] = (schema.examples ?? []) as unknown[]
  return example === undefined ? undefined : show(example)
}

const nextCursor = {
  type: 'string',
  description: 'Only if there may be more: for the next page, repeat the call with this as `cursor`.',
}
const nextAfter = {
  type: 'string',
  description: 'Only if there may be more: to read on, repeat the call with this as `after`.',
}
const monitorAfter = {
  type: 'string',
  description: 'Only if this was all so far: to see what comes later, repeat the call with this as `after` then.',
}
const etag = {
  type: 'string',
  description: 'The version of what was read. Send it as `ifMatch` to change exactly this version.',
}

interface ResultTraits {
  readonly isPaged: boolean
  readonly hasEtag: boolean
  readonly done: string
}

/** Without examples and patterns: the results themselves show what they look like, and a list of tools is read whole. */
function withoutDetails<T>(node: T): T {
  return JSON.parse(JSON.stringify(node), (name, value) => (details.has(name) ? undefined : value))
}
const details = new Set(['examples', 'pattern'])

/** The schema of a tool's result, always an object: a list is in `items`, and a success without a body says what was done. */
export function outputSchemaOf(described: Described, traits: ResultTraits): JsonSchema & { type: 'object' } {
  const { isPaged, hasEtag, done } = traits
  const success = withoutDetails(described.success ?? null)
  if (!success) return { type: 'object', properties: { done: { type: 'string', const: done } }, required: ['done'] }
  if (success.type === 'array') {
    const isLog = described.parameters.some(({ name }) => name === 'after')
    const more = isLog ? { nextAfter, monitorAfter } : { nextCursor }
    return { type: 'object', properties: { items: success, ...(isPaged && more) }, required: ['items'] }
  }
  if (!hasEtag) return { ...success, type: 'object' }
  const { properties, required } = success as { properties: JsonSchema; required?: string[] }
  return {
    ...success,
    type: 'object',
    properties: { ...properties, etag },
    required: [...(required ?? []), 'etag'],
  }
}
