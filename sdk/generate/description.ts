import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly schema: Schema
}

interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly 'x-sdk-call': string
  readonly 'x-required-scope'?: string
  readonly 'x-alternative-scope'?: string
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

export interface Operation extends Omit<DescribedOperation, 'parameters' | 'responses'> {
  readonly method: string
  readonly path: string
  readonly query: readonly Parameter[]
  /** Every error that it declares. */
  readonly errors: readonly { readonly status: number; readonly code: string }[]
}

export interface Description {
  readonly operations: readonly Operation[]
  readonly schemas: Readonly<Record<string, Schema>>
}

const methods = new Set(['get', 'put', 'post', 'patch', 'delete'])

/** The parts of openapi.json that the SDK follows from. */
export function readDescription(): Description {
  const { paths, components } = JSON.parse(
    readFileSync(join(import.meta.dir, '../../openapi.json'), 'utf8'),
  ) as Document
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, { parameters = [], responses, ...operation }]) => {
        const all = parameters.map((each) =>
          '$ref' in each ? (components.parameters[nameOf(each.$ref)] as Parameter) : each,
        )
        const errors = Object.entries(responses)
          .filter(([status]) => Number(status) >= 400)
          .flatMap(([status, each]) => {
            const response = '$ref' in each ? components.responses[nameOf(each.$ref)] : each
            const examples = response?.content?.['application/json']?.examples ?? {}
            return Object.keys(examples).map((code) => ({ status: Number(status), code }))
          })
        return { ...operation, method, path, query: all.filter((each) => each.in === 'query'), errors }
      }),
  )
  return { operations, schemas: components.schemas }
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
