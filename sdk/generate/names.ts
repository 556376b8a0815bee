import { type Description, nameOf, type Operation, type Schema } from './description.ts'

const header = `// Made from openapi.json by npm run openapi: names for its types, which editors show instead of their content.
import type { Query, WithDates } from './operation.ts'
import type { components } from './schema.ts'

type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
`

/** Errors are thrown as PetStoreError. */
const left = new Set(['Error', 'Problem'])

/** Calls return a PlacedOrder; the schema Order, in which every field is optional, is only a part of it. */
const otherNames: Readonly<Record<string, string>> = { Order: 'OrderFields', PlacedOrder: 'Order' }
const typeName = (schema: string): string => otherNames[schema] ?? schema

/** Names for the schemas, and for the query of each operation. */
export function names({ schemas, operations }: Description): string {
  const inRequests = new Set(operations.flatMap(({ requestBody }) => refsOf(requestBody, schemas)))
  const types = Object.entries(schemas)
    .filter(([name]) => !left.has(name))
    .map(([name, schema]) => schemaType(name, schema, inRequests.has(name)))
  const queries = operations.filter(({ query }) => query.length > 0).map(queryType)
  return [header, ...types, '', ...queries, ''].join('\n')
}

/** An interface keeps its name in editors; an alias is often expanded. */
function schemaType(schemaName: string, schema: Schema, isRequest: boolean): string {
  const type = `Schema<'${schemaName}'>`
  const name = typeName(schemaName)
  const { oneOf, items } = schema
  if (oneOf?.every(({ $ref }) => $ref)) return `export type ${name} = ${oneOf.map(refName).join(' | ')}`
  if (items?.$ref) return `export type ${name} = ${refName(items)}[]`
  const isObject = schema.type === 'object' || schema.allOf !== undefined
  if (!isObject) return `export type ${name} = ${type}`
  return `export interface ${name} extends ${isRequest ? withDates(type, Object.entries(schema.properties ?? {})) : type} {}`
}

function queryType({ operationId, method, path, query }: Operation): string {
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
  const type = withDates(
    `Query<'${method}', '${path}'>`,
    query.map((each) => [each.name, each.schema]),
  )
  return `export interface ${name} extends ${type} {}`
}

function withDates(type: string, fields: readonly (readonly [string, Schema])[]): string {
  const times = fields.filter(([, { format }]) => format === 'date-time').map(([name]) => `'${name}'`)
  return times.length > 0 ? `WithDates<${type}, ${times.join(' | ')}>` : type
}

const refName = ({ $ref = '' }: Schema): string => typeName(nameOf($ref))

/** The schemas that a value refers to, directly or not. */
function refsOf(value: unknown, schemas: Description['schemas']): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key === '$ref' ? [nameOf(each), ...refsOf(schemas[nameOf(each)], schemas)] : refsOf(each, schemas),
  )
}
