import { z } from 'zod'

export type JsonSchema = Record<string, unknown>

/** What a shape declares in addition to its validation. */
interface ShapeMeta {
  readonly id?: string
  readonly description?: string
  readonly example?: unknown
  /** A named shape whose fields this one includes. */
  readonly extends?: z.ZodType
  readonly wire?: JsonSchema
  /** Values may be added within a version. */
  readonly grows?: true
  /** How a list is written in the query. */
  readonly list?: 'repeated' | 'commas'
  /** The component name of a shared parameter. */
  readonly parameter?: string
}

export const metaOf = (schema: z.ZodType): ShapeMeta => (schema.meta() ?? {}) as ShapeMeta

/** Named shapes, parameters, responses and callbacks. */
export interface Components {
  readonly schemas: Record<string, JsonSchema>
  readonly parameters: Record<string, JsonSchema>
  readonly responses: Record<string, JsonSchema>
  readonly callbacks: Record<string, JsonSchema>
}

/** The OpenAPI 3.0 schema of a shape. Named shapes inside it are added to the components and referenced. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const { schemas } = components
  const { definitions = {}, ...converted } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { wire, extends: base, grows } = metaOf(zodSchema as unknown as z.ZodType)
      if (base) Object.assign(jsonSchema, { extends: addShape(base, io, components) })
      if (grows) Object.assign(jsonSchema, { 'x-extensible-enum': jsonSchema.enum })
      if (wire) {
        for (const key of ['type', 'anyOf', 'allOf', 'format', 'pattern', 'enum'])
          delete jsonSchema[key as keyof typeof jsonSchema]
        Object.assign(jsonSchema, wire)
      } else if (jsonSchema.type === 'integer' && zodSchema instanceof z.ZodNumber) {
        jsonSchema.format = integerFormat(jsonSchema)
        // The largest exact number is zod's bound, not one of the API.
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      }
      // Responses may gain fields within a version; only requests are closed to unknown fields.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  }) as JsonSchema & { definitions?: Record<string, JsonSchema> }
  for (const [name, definition] of Object.entries(definitions)) schemas[name] ??= toOpenApi(definition)
  return toOpenApi(converted)
}

/** Adds a named shape to the components and returns its name. */
function addShape(shape: z.ZodType, io: 'input' | 'output', components: Components): string {
  jsonSchema(z.object({ shape }), io, components)
  return metaOf(shape).id as string
}

/** The smallest format that fits the bounds. */
export const integerFormat = ({ minimum = -Infinity, maximum = Infinity }: { minimum?: number; maximum?: number }) =>
  minimum >= -(2 ** 31) && maximum < 2 ** 31 ? 'int32' : 'int64'

/**
 * Writes a shape that extends another as `allOf` of the base and the added fields. The base must then allow further fields, or no
 * value would satisfy both; that requests with unknown fields are rejected is said in its description.
 */
export function applyExtends(schemas: Record<string, JsonSchema>): void {
  for (const [name, shape] of Object.entries(schemas)) {
    const { extends: base, type, properties, required, ...notes } = shape
    if (base === undefined) continue
    const inherited = schemas[base as string] as JsonSchema
    const inheritedRequired = (inherited.required ?? []) as string[]
    const newlyRequired = (required as string[]).filter((field) => !inheritedRequired.includes(field))
    // A field that is only optional in the base is repeated, because not every generator combines the two.
    const isOwn = (field: string) => !(field in (inherited.properties as JsonSchema)) || newlyRequired.includes(field)
    delete inherited.additionalProperties
    const own = Object.entries(properties as JsonSchema).filter(([field]) => isOwn(field))
    const added = { type, properties: Object.fromEntries(own), ...requiredFields(newlyRequired) }
    schemas[name] = { ...notes, allOf: [{ $ref: `#/components/schemas/${base}` }, added] }
  }
}

const requiredFields = (required: string[]) => (required.length > 0 ? { required } : {})

const internal = new Set(['$schema', 'wire', 'list', 'parameter', 'grows'])

/** Drops keys that are not OpenAPI, and points references to the components. */
function toOpenApi(value: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (internal.has(key)) return undefined
      // A shape's name is its key in the components. A property `id` is an object; in examples it is a number or lower case.
      if (key === 'id' && /^[A-Z]/.test(String(inner))) return undefined
      if (key === '$ref') return String(inner).replace('#/definitions/', '#/components/schemas/')
      return inner?.description === undefined ? withoutWrapping(inner) : inner
    }),
  )
}

/** zod wraps a reference that has notes in `allOf`. Only a description is worth the wrapping. */
export function withoutWrapping(schema: JsonSchema): JsonSchema {
  const [only, ...others] = (schema?.allOf ?? []) as JsonSchema[]
  return only?.$ref !== undefined && others.length === 0 ? only : schema
}

/** The example of a shape, or one built from its parts. */
export function exampleOf(schema: z.ZodType): unknown {
  const { example } = metaOf(schema)
  if (example !== undefined) return example
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element as z.ZodType)]
  if (schema instanceof z.ZodOptional) return exampleOf(schema.unwrap() as z.ZodType)
  return undefined
}
