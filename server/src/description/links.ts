import type { Operation } from '../api/operation.ts'
import type { JsonSchema } from './json-schema.ts'

/** Where to go on from what was made: to every operation that needs nothing but its id. */
export function linksOf({ path }: Operation, operations: readonly Operation[]): JsonSchema {
  const links = operations.flatMap((operation) => {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
    const [name] = names
    const isOfIt = operation.path.startsWith(`${path}/{`) && names.length === 1 && name !== undefined
    return isOfIt ? [[operation.id, { operationId: operation.id, parameters: { [name]: '$response.body#/id' } }]] : []
  })
  return links.length === 0 ? {} : { links: Object.fromEntries(links) }
}
