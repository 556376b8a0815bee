import type { Operation } from '../../platform/api/operation.ts'
import type { JsonSchema } from './json-schema.ts'

/** Links from a created resource to every operation that needs only its id. */
export function linksOf({ path }: Operation, operations: readonly Operation[]): JsonSchema {
  const links = operations.flatMap((operation) => {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
    const [name] = names
    const isOnResource = operation.path.startsWith(`${path}/{`) && names.length === 1 && name !== undefined
    return isOnResource
      ? [[operation.id, { operationId: operation.id, parameters: { [name]: '$response.body#/id' } }]]
      : []
  })
  return links.length === 0 ? {} : { links: Object.fromEntries(links) }
}
