import type { JsonSchema } from '../description/json-schema.ts'
import type { Described } from './described.ts'

// A model reads the list of tools whole, so schemas have what it needs to call a tool and no more: the operation checks the rest, and
// its errors say what is wrong with which argument.

/** The argument for a request body that is a list. */
export const itemsArgument = 'items'

/** The request headers that are arguments, by name. */
export const headerArguments: Readonly<Record<string, string>> = {
  'If-Match': 'ifMatch',
  'Idempotency-Key': 'idempotencyKey',
}

/** The schema of a tool's arguments: path, query, body and conditions side by side. `reader`: the tool whose result has the `etag`. */
export function inputSchemaOf({ parameters, body, isBodyRequired }: Described, reader: string | undefined) {
  const properties: JsonSchema = {}
  const required: string[] = []
  const conditions: Readonly<Record<string, string>> = {
    ifMatch: `\`etag\` of ${reader ? `\`${reader}\`` : 'a read'}; rejected if outdated.`,
    idempotencyKey: 'Your own text; repeat it when you retry.',
  }
  for (const { name, in: location, schema, description, required: isRequired } of parameters) {
    const condition = location === 'header' ? headerArguments[name] : undefined
    if (condition) properties[condition] = { type: 'string', description: conditions[condition] }
    if (location === 'header') continue
    // A path has only ids, whose names say what they identify.
    properties[name] = compact(location === 'path' ? schema : { ...schema, description })
    if (isRequired) required.push(name)
  }
  if (body?.type === 'array') {
    properties[itemsArgument] = compact(body)
    required.push(itemsArgument)
  } else if (body) {
    Object.assign(properties, compact(body).properties)
    if (isBodyRequired) required.push(...((body.required ?? []) as string[]))
  }
  const some = required.length > 0 && { required }
  return { type: 'object' as const, properties, ...some }
}

/** What no model needs. */
const details = new Set([
  'examples',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'additionalProperties',
])

/** Bounds that no sensible call comes near. */
const isFar = (name: string, value: unknown): boolean => /^(min|max)imum$/.test(name) && Math.abs(Number(value)) >= 1e6

function compact(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([name, value]) => !details.has(name) && !isFar(name, value))
  return Object.fromEntries(kept.map(([name, value]) => [name, compactKeyword(name, value, schema)]))
}

function compactKeyword(name: string, value: unknown, { description }: JsonSchema): unknown {
  if (name === 'description') return firstParagraph(String(value))
  if (name === 'properties') {
    const fields = Object.entries(value as Record<string, JsonSchema>)
    return Object.fromEntries(fields.map(([field, schema]) => [field, compact(schema)]))
  }
  if (name !== 'items') return value
  const { description: meaning, ...item } = compact(value as JsonSchema)
  // What the values of a list mean is said once, by the list. An object says it by its fields.
  const isSaid = description !== undefined || item.properties !== undefined
  return isSaid || meaning === undefined ? item : { ...item, description: meaning }
}

const firstParagraph = (text: string): string => text.split('\n\n', 1)[0] ?? ''
