import type { JsonSchema } from './json-schema.ts'

/** Converts the description to OpenAPI 3.1, whose schemas are JSON Schema 2020-12. */
export function openapi31(description: JsonSchema): JsonSchema {
  const { paths = {}, components, ...rest } = convert(description) as unknown as Document
  const { callbacks, ...others } = components
  return { ...rest, openapi: '3.1.1', paths, webhooks: moveCallbacks(paths, callbacks), components: others }
}

interface Document {
  readonly paths?: Record<string, Record<string, { callbacks?: Record<string, { readonly $ref: string }> }>>
  readonly components: { readonly callbacks: Record<string, Record<string, { readonly post: JsonSchema }>> }
}

/** What is sent to clients is in a separate place in 3.1. Removes the callbacks from the operations and returns them by event type. */
function moveCallbacks(
  paths: NonNullable<Document['paths']>,
  callbacks: Document['components']['callbacks'],
): JsonSchema {
  const webhooks: JsonSchema = {}
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const [type, { $ref }] of Object.entries(operation.callbacks ?? {})) {
      const [item] = Object.values(callbacks[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {})
      const operationId = `on${type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`
      webhooks[type] = { post: { ...item?.post, operationId, summary: `The event ${type}` } }
    }
    delete operation.callbacks
  }
  return webhooks
}

/** Copies the document and converts everything under `schema` and `schemas`. */
function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert)
  if (!isObject(node)) return node
  return mapValues(node, (value, key) => {
    if (key === 'example' || key === 'examples') return value
    if (key === 'schema') return convertSchema(value as JsonSchema)
    if (key === 'schemas') return mapValues(value as JsonSchema, (shape) => convertSchema(shape as JsonSchema))
    return convert(value)
  })
}

function convertSchema({ nullable, example, ...rest }: JsonSchema): JsonSchema {
  const shape: JsonSchema = mapValues(rest, (value, key) => {
    if (key === 'properties') return mapValues(value as JsonSchema, (property) => convertSchema(property as JsonSchema))
    if (key === 'allOf' || key === 'anyOf' || key === 'oneOf') return (value as JsonSchema[]).map(convertSchema)
    if ((key === 'items' || key === 'not' || key === 'additionalProperties') && isObject(value))
      return convertSchema(value)
    return value
  })
  for (const bound of ['minimum', 'maximum'] as const) {
    const exclusive = bound === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'
    if (shape[exclusive] === true) {
      shape[exclusive] = shape[bound]
      delete shape[bound]
    } else if (shape[exclusive] === false) delete shape[exclusive]
  }
  if (example !== undefined) shape.examples = [example]
  return nullable === true ? orNull(shape) : shape
}

function orNull(shape: JsonSchema): JsonSchema {
  if (typeof shape.type !== 'string') return { anyOf: [shape, { type: 'null' }] }
  return { ...shape, type: [shape.type, 'null'], ...(Array.isArray(shape.enum) && { enum: [...shape.enum, null] }) }
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = (object: JsonSchema, change: (value: unknown, key: string) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
