import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/** What a shape says of itself beyond its validation. */
interface ShapeMeta {
  readonly id?: string
  readonly description?: string
  readonly example?: unknown
  /** The name of the shape all of whose fields this one has too. */
  readonly extends?: string
  readonly wire?: JsonSchema
  /** A list in the query: how the description writes it. */
  readonly list?: 'repeated' | 'commas'
  /** The name of a parameter that many operations share. */
  readonly parameter?: string
}

export const metaOf = (schema: z.ZodType): ShapeMeta => (schema.meta() ?? {}) as ShapeMeta

/** Named shapes, and the parameters that operations share. */
export interface Components {
  readonly schemas: Record<string, JsonSchema>
  readonly parameters: Record<string, JsonSchema>
  readonly responses: Record<string, JsonSchema>
}

/** The OpenAPI 3.0 schema of a shape. Named shapes inside it go to the components and are referred to. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output', { schemas }: Components): JsonSchema {
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
      // Bounds that come with being a number here mean nothing to anybody else.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      // Answers may gain fields within a version; only what callers send is closed.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  }) as JsonSchema & { definitions?: Record<string, JsonSchema> }
  for (const [name, definition] of Object.entries(definitions)) schemas[name] ??= tidy(definition)
  return tidy(converted)
}

/**
 * Writes each shape that extends another as that one and what it adds. The other must take further fields, or nothing would satisfy
 * both; that it refuses them when it is sent is said in words.
 */
export function relate(schemas: Record<string, JsonSchema>): void {
  for (const [name, shape] of Object.entries(schemas)) {
    const { extends: base, type, properties, required, ...notes } = shape
    if (base === undefined) continue
    const inherited = schemas[base as string] as JsonSchema
    const isOwn = (field: string) => !(field in (inherited.properties as JsonSchema))
    delete inherited.additionalProperties
    const own = Object.entries(properties as JsonSchema).filter(([field]) => isOwn(field))
    const added = {
      type,
      properties: Object.fromEntries(own),
      ...needed((required as string[]).filter((field) => !(inherited.required as string[]).includes(field))),
    }
    schemas[name] = { ...notes, allOf: [{ $ref: `#/components/schemas/${base}` }, added] }
  }
}

const needed = (required: string[]) => (required.length > 0 ? { required } : {})

const internal = new Set(['$schema', 'wire', 'list', 'parameter'])

/** Drops what is not OpenAPI and points references at the components. */
function tidy(value: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (internal.has(key)) return undefined
      // The name of a shape is its place in the components. (A property called `id` is an object, an example's a number or small.)
      if (key === 'id' && /^[A-Z]/.test(String(inner))) return undefined
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
