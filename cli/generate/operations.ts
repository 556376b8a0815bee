// What commands take from the description: the inputs of each operation, which of them are required, and their known values.

interface Schema {
  readonly $ref?: string
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Response {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Response>>
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Input {
  readonly required?: true
  /** The values it may have, for completion; a newer service may know more. */
  readonly values?: readonly string[]
}

export function listOperations(description: Description) {
  const resolve = <T extends { readonly $ref?: string }>(value: T): T =>
    value.$ref === undefined ? value : resolve(find(description, value.$ref) as T)

  const valuesOf = (schema: Schema): readonly string[] => {
    const { enum: values = [], items, anyOf = [], allOf = [] } = resolve(schema)
    return [...values.map(String), ...[items ?? [], anyOf, allOf].flat().flatMap(valuesOf)]
  }
  const toInput = (schema: Schema, isRequired: boolean): Input => {
    const values = [...new Set(valuesOf(schema))]
    return { ...(isRequired && { required: true }), ...(values.length > 0 && { values }) }
  }

  const inputsOf = ({ parameters = [], requestBody }: Operation): Record<string, Input> => {
    const query = parameters.map(resolve).filter((parameter) => parameter.in === 'query')
    const body = resolve(requestBody?.content['application/json']?.schema ?? {})
    return Object.fromEntries([
      ...query.map(({ name, schema, required = false }) => [name, toInput(schema, required)]),
      ...Object.entries(body.properties ?? {}).map(([name, schema]) => [
        name,
        toInput(schema, body.required?.includes(name) ?? false),
      ]),
    ])
  }

  const describe = (method: string, path: string, operation: Operation) => ({
    method: method.toUpperCase(),
    path,
    inputs: inputsOf(operation),
    hasEtag: resolve(operation.responses['200'] ?? {}).headers?.ETag !== undefined,
    takesIfMatch: (operation.parameters ?? []).map(resolve).some(({ name }) => name === 'If-Match'),
  })

  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [operation.operationId, describe(method, path, operation)]),
  )
  return Object.fromEntries(operations)
}

/** The part of the description that a reference such as `#/components/schemas/Pet` names. */
const find = (description: object, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], description)
