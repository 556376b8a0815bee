// The parts of an OpenAPI document that the comparison reads.

interface Ref {
  readonly $ref?: string
}

export interface Schema extends Ref {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: boolean | Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}

export type Content = Readonly<Record<string, { readonly schema?: Schema }>>

export interface Parameter extends Ref {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly style?: string
  readonly explode?: boolean
  readonly schema: Schema
}

interface Header extends Ref {
  readonly required?: boolean
  readonly schema: Schema
}

export interface Response extends Ref {
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Content
}

export interface Operation {
  readonly operationId: string
  readonly 'x-required-scope'?: string
  readonly 'x-stability'?: string
  readonly 'x-deprecated-sunset'?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

export interface OpenapiDocument {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** Follows a `$ref`; returns other nodes as they are. */
export function resolve<T extends Ref>(document: OpenapiDocument, thing: T): T {
  if (thing.$ref === undefined) return thing
  const [kind = '', name = ''] = thing.$ref.replace('#/components/', '').split('/')
  const found = document.components[kind]?.[name]
  if (found === undefined) throw new Error(`${thing.$ref} does not exist.`)
  return resolve(document, found as T)
}

/** The name of a schema, which generated clients use for its type. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

/** A schema with its `allOf` merged. */
export function whole(document: OpenapiDocument, schema: Schema): Schema {
  const { allOf, ...own } = resolve(document, schema)
  if (allOf === undefined) return own
  const parts = [...allOf.map((part) => whole(document, part)), own]
  return Object.assign({}, ...parts, {
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required ?? []),
  })
}
