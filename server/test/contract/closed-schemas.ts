// biome-ignore lint/suspicious/noExplicitAny: a schema is a tree of unknown depth
type Tree = any

/** Responses are described as open, so that fields can be added later; here an undescribed field is a fault. */
export function closed(schema: Tree): Tree {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Tree = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'example' ? value : closed(value)]),
  )
  if (copy.type === 'object' && copy.properties) copy.additionalProperties = false
  return copy
}

/** Merges shapes that extend others, so that they can be closed to unknown fields. */
export function flattened(schemas: Tree): Tree {
  const whole = (schema: Tree): Tree => {
    if (schema.$ref) return whole(schemas[schema.$ref.split('/').at(-1)])
    if (!schema.allOf) return schema
    const parts = schema.allOf.map(whole)
    return {
      type: 'object',
      properties: Object.assign({}, ...parts.map((part: Tree) => part.properties)),
      required: parts.flatMap((part: Tree) => part.required ?? []),
    }
  }
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, whole(schema)]))
}
