import type { JsonSchema } from './json-schema.ts'

/** The same description in OpenAPI 3.1, whose schemas are JSON Schema 2020-12. */
export function openapi31(description: JsonSchema): JsonSchema {
  return { ...(walk(description) as JsonSchema), openapi: '3.1.1' }
}

/** Copies the document; what stands under `schema` or in the components' `schemas` is rewritten on the way. */
function walk(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(walk)
  if (!isObject(node)) return node
  return mapValues(node, (value, key) => {
    if (key === 'example' || key === 'examples') return value
    if (key === 'schema') return schema(value as JsonSchema)
    if (key === 'schemas') return mapValues(value as JsonSchema, (shape) => schema(shape as JsonSchema))
    return walk(value)
  })
}

function schema({ nullable, example, ...rest }: JsonSchema): JsonSchema {
  const shape: JsonSchema = mapValues(rest, (value, key) => {
    if (key === 'properties') return mapValues(value as JsonSchema, (property) => schema(property as JsonSchema))
    if (key === 'allOf' || key === 'anyOf' || key === 'oneOf') return (value as JsonSchema[]).map(schema)
    if ((key === 'items' || key === 'not' || key === 'additionalProperties') && isObject(value)) return schema(value)
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
