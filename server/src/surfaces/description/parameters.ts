import { z } from 'zod'
import type { Operation } from '../../platform/api/operation.ts'
import { responsesKeptHours } from '../../platform/api/sizes.ts'
import type { Traits } from '../../platform/api/traits.ts'
import { type Components, type JsonSchema, jsonSchema, metaOf, withoutWrapping } from './json-schema.ts'

const header = (name: string, description: string, bounds: { readonly maxLength?: number } = {}): JsonSchema => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...bounds },
})

/** Request headers that follow from an operation's traits. Without examples, because sending an example value would be rejected. */
const headerParameters = {
  IfNoneMatch: header('If-None-Match', 'The ETag you have; returns 304 if it is current.'),
  IfNoneExists: header('If-None-Match', '`*`: returns 412 if the resource already exists.'),
  IfMatch: header('If-Match', 'The ETag you read; returns 412 if the resource has changed since.'),
  IdempotencyKey: header(
    'Idempotency-Key',
    `Makes a retry safe: for ${responsesKeptHours} hours, the same key and body return the first response again.`,
    { maxLength: 255 },
  ),
  LastEventId: header('Last-Event-ID', 'The last `id` received; the stream continues after it.', { maxLength: 64 }),
}

export function parameters(operation: Operation, traits: Traits, components: Components): JsonSchema[] {
  const shared = (name: keyof typeof headerParameters) => {
    components.parameters[name] = headerParameters[name]
    return { $ref: `#/components/parameters/${name}` }
  }
  return [
    ...shapeParameters(operation, 'path', components),
    ...shapeParameters(operation, 'query', components),
    ...(traits.takesIfNoneMatch ? [shared('IfNoneMatch')] : []),
    ...(traits.takesIfMatch ? [shared('IfMatch')] : []),
    ...(traits.takesIfNoneExists ? [shared('IfNoneExists')] : []),
    ...(traits.takesIdempotencyKey ? [shared('IdempotencyKey')] : []),
    ...(traits.takesLastEventId ? [shared('LastEventId')] : []),
  ]
}

/** Parameters in the path or the query. Shared ones are described once, in the components. */
function shapeParameters(operation: Operation, place: 'path' | 'query', components: Components): JsonSchema[] {
  const shape = place === 'path' ? operation.params : operation.query
  if (!(shape instanceof z.ZodObject)) return []
  return Object.entries(shape.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { parameter } = metaOf(field)
    const given = operation.exampleParams?.[name]
    const parameterDoc = describe(name, field, place, components, given)
    if (parameter === undefined || given !== undefined) return parameterDoc
    components.parameters[parameter] = parameterDoc
    return { $ref: `#/components/parameters/${parameter}` }
  })
}

function describe(
  name: string,
  field: z.ZodType,
  place: 'path' | 'query',
  components: Components,
  given: unknown,
): JsonSchema {
  const { description, example = given } = metaOf(field)
  const { description: _, example: __, ...schema } = jsonSchema(field, 'input', components)
  const { list } = metaOf(field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field)
  return {
    name,
    in: place,
    ...(place === 'path' && { required: true }),
    description,
    schema: withoutWrapping(schema),
    ...(list && { style: 'form', explode: true }),
    ...(example !== undefined && { example: given ?? example }),
  }
}
