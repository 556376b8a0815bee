import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/** What a shape says of itself beyond its validation. */
interface ShapeMeta {
  readonly id?: string
  readonly description?: string
  readonly example?: unknown
  readonly wire?: JsonSchema
  readonly repeatable?: boolean
}

export const metaOf = (schema: z.ZodType): ShapeMeta => (schema.meta() ?? {}) as ShapeMeta

/** The OpenAPI 3.0 schema of a shape. Named shapes inside it go to `components` and are referred to. */
export function jsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Record<string, JsonSchema>,
): JsonSchema {
  const { definitions = {}, ...converted } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { wire } = metaOf(zodSchema as unknown as z.ZodType)
      if (wire) {
        for (const key of ['type', 'anyOf', 'allOf', 'format', 'pattern', 'enum'])
          delete jsonSchema[key as keyof typeof jsonSchema]
        Object.assign(jsonSchema, wire)
      }
      // Answers may gain fields within a version; only what callers send is closed.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  }) as JsonSchema & { definitions?: Record<string, JsonSchema> }
  for (const [name, definition] of Object.entries(definitions)) components[name] ??= tidy(definition)
  return tidy(converted)
}

const internal = new Set(['$schema', 'wire', 'repeatable'])

/** Drops what is not OpenAPI and points references at the components. */
function tidy(value: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (internal.has(key)) return undefined
      // The name of a shape is its place in the components. (A property called `id` is an object, an example's a number.)
      if (key === 'id' && typeof inner === 'string') return undefined
      if (key === '$ref') return String(inner).replace('#/definitions/', '#/components/schemas/')
      // A reference with notes of its own comes wrapped in allOf; OpenAPI 3.0 knows only the reference.
      if (inner?.allOf?.length === 1 && inner.allOf[0].$ref) return inner.allOf[0]
      return inner
    }),
  )
}

/** The example of a shape: its own, or one made of its parts. */
export function exampleOf(schema: z.ZodType): unknown {
  const { example } = metaOf(schema)
  if (example !== undefined) return example
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element as z.ZodType)]
  if (schema instanceof z.ZodOptional) return exampleOf(schema.unwrap() as z.ZodType)
  return undefined
}
