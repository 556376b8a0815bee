import type { JsonSchema } from '../../description/json-schema.ts'

// The parts of the description that the reference reads.

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly explode?: boolean
  readonly example?: unknown
}

interface Media {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Header {
  readonly $ref?: string
  readonly description?: string
  readonly example?: unknown
}

export interface DescribedResponse {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, Media>>
}

interface OperationDocument {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, DescribedResponse>>
  readonly 'x-sdk-call'?: string
  readonly 'x-required-scope'?: string
  readonly 'x-stability'?: string
  readonly 'x-deprecated-sunset'?: string
  readonly 'x-hideTryItPanel'?: boolean
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDocument>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** An operation with its method and path. */
export interface DescribedOperation extends OperationDocument {
  /** The request body, if there is one. */
  readonly body: ReturnType<typeof firstMedia>
  readonly method: string
  readonly path: string
}

export const readDocument = (description: JsonSchema): ApiDocument => description as unknown as ApiDocument

export const operationsIn = (document: ApiDocument): DescribedOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      parameters: operation.parameters.map((parameter) => resolve(document, parameter)),
      responses: withoutDefault(operation.responses),
      body: firstMedia(document, operation.requestBody?.content),
      method: method.toUpperCase(),
      path,
    })),
  )

/** The reference shows each error by its code, so it leaves out `default`, which is for generators. */
function withoutDefault({ default: _, ...responses }: OperationDocument['responses']): OperationDocument['responses'] {
  return responses
}

/** Every header of a response, with its name. */
export function headersIn(document: ApiDocument): (readonly [name: string, header: Header])[] {
  const { components, paths } = document
  const responses = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => Object.values(operation.responses)),
  )
  const named = responses.flatMap((response) => Object.entries(resolve(document, response).headers ?? {}))
  const names = new Map(named.map(([name, { $ref }]) => [$ref?.replace('#/components/headers/', ''), name]))
  return Object.entries(components.headers as Readonly<Record<string, Header>>).map(
    ([component, header]) => [names.get(component) ?? component, header] as const,
  )
}

/** Follows a `$ref`; returns other nodes as they are. */
export function resolve<T extends { readonly $ref?: string }>({ components }: ApiDocument, node: T): T {
  if (node.$ref === undefined) return node
  const [section = '', name = ''] = node.$ref.replace('#/components/', '').split('/')
  return components[section]?.[name] as T
}

/** The name of a named schema. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.replace('#/components/schemas/', '')

/** The item schema of a list, or the schema itself. */
export function itemOf(document: ApiDocument, schema: Schema): Schema {
  const shape = resolve(document, schema)
  return shape.type === 'array' && shape.items ? shape.items : schema
}

/** A schema with its `allOf` merged: inherited fields first. */
export function wholeShape(document: ApiDocument, schema: Schema): Schema {
  const shape = resolve(document, schema)
  if (shape.allOf === undefined) return shape
  const parts = shape.allOf.map((part) => wholeShape(document, part))
  return Object.assign({}, ...parts, shape, {
    required: parts.flatMap((part) => part.required ?? []),
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
  })
}

/** The first media type, with its schema and example. */
export function firstMedia(document: ApiDocument, content: Readonly<Record<string, Media>> | undefined) {
  const [first] = Object.entries(content ?? {})
  if (!first) return undefined
  const [type, media] = first
  return { type, example: exampleOf(document, media.schema), ...media }
}

/** The example of a named schema, or of a list's items. */
function exampleOf(document: ApiDocument, schema: Schema): unknown {
  if (schema.type === 'array' && schema.items) return [exampleOf(document, schema.items)]
  return resolve(document, schema).example
}
