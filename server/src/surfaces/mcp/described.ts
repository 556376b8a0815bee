import type { JsonSchema } from '../description/json-schema.ts'

// The parts of the description (OpenAPI 3.1, whose schemas are JSON Schema) that tools are made of.

interface DescribedParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** An operation of the description, with its schemas written out. */
export interface Described {
  readonly parameters: readonly DescribedParameter[]
  readonly body: JsonSchema | undefined
  readonly isBodyRequired: boolean
}

/** Returns a function that finds an operation in the description. */
export function readDescribed(document: JsonSchema): (method: string, path: string) => Described {
  const at = (...path: string[]): JsonSchema =>
    path.reduce<JsonSchema>((node, name) => (node[name] ?? {}) as JsonSchema, document)

  const followRef = (node: JsonSchema): JsonSchema =>
    typeof node.$ref === 'string' ? at(...node.$ref.replace('#/', '').split('/')) : node

  /** A schema without references, and with inherited fields in place. */
  function writeOut(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(writeOut)
    if (typeof node !== 'object' || node === null) return node
    const { allOf, ...own } = followRef(node as JsonSchema)
    const entries = Object.entries(own).filter(([name, value]) => !isNote(name, value))
    const written = Object.fromEntries(
      entries.map(([name, value]) => [name, name === 'examples' || name === 'default' ? value : writeOut(value)]),
    )
    return Array.isArray(allOf) ? { ...merge(allOf.map(writeOut) as JsonSchema[]), ...written } : written
  }

  return (method, path) => {
    const operation = at('paths', path, method) as { parameters?: JsonSchema[]; requestBody?: JsonSchema }
    const schemaIn = (...path: string[]): JsonSchema | undefined => {
      const [media] = Object.values(followRef(at('paths', ...path)).content ?? {}) as { schema: JsonSchema }[]
      return media && (writeOut(media.schema) as JsonSchema)
    }
    return {
      parameters: (operation.parameters ?? []).map((parameter) => {
        const { schema, ...rest } = followRef(parameter)
        return { ...rest, schema: writeOut(schema) } as DescribedParameter
      }),
      body: schemaIn(path, method, 'requestBody'),
      isBodyRequired: operation.requestBody?.required === true,
    }
  }
}

/** What only OpenAPI tools read. A model gains nothing from integer formats. */
const isNote = (name: string, value: unknown): boolean =>
  name.startsWith('x-') || name === 'discriminator' || (name === 'format' && /^int\d\d$/.test(String(value)))

/** Several schemas as one. A single one is a reference with its own description. */
function merge(parts: JsonSchema[]): JsonSchema {
  const [first, ...others] = parts
  if (first && others.length === 0) return first
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: [...new Set(parts.flatMap(({ required }) => (required ?? []) as string[]))],
  }
}
