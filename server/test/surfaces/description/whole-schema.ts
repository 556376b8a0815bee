// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is a tree of unknown depth
export type Tree = any

/** Returns a function that gives a schema with all its fields, including those of the schema it extends. */
export function wholeIn(schemas: Tree): (schema: Tree) => Tree {
  return function whole(schema) {
    if (schema.$ref) return whole(schemas[schema.$ref.split('/').at(-1)])
    if (!schema.allOf) return schema
    const parts: Tree[] = schema.allOf.map(whole)
    return {
      ...schema,
      properties: Object.assign({}, ...parts.map((part) => part.properties)),
      required: parts.flatMap((part) => part.required ?? []),
    }
  }
}
