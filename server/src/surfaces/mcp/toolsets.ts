import { z } from 'zod'
import { validationFailed } from '../../platform/api/errors.ts'
import type { Fault } from '../../platform/api/faults.ts'
import type { Operation } from '../../platform/api/operation.ts'
import { listParam } from '../../platform/api/shapes.ts'
import { check } from '../../platform/api/validate.ts'
import type { Tag } from '../../platform/compose/feature.ts'

type Query = Readonly<Record<string, string | string[]>>

/** Parts of the tools, one for each tag, of which a client chooses some: `/mcp?tools=orders,stock`. */
export function createToolsets(tags: readonly Tag[], operations: readonly Operation[]) {
  const nameOf = new Map(tags.map(({ name, toolset = name.toLowerCase() }) => [name, toolset]))
  const names = [...new Set(operations.map(({ tag }) => nameOf.get(tag) ?? ''))]
  // Other parameters are left to proxies and clients that add their own.
  const shape = z.object({ tools: listParam(z.enum(names), names.length).optional() })

  return {
    /** Which operations the query of a request chooses; without `tools`, all. Throws if it names an unknown toolset. */
    chosenBy(query: Query | undefined): (operation: Operation) => boolean {
      if (query?.tools === undefined) return () => true
      const faults: Fault[] = []
      const { tools } = (check(shape, query, 'query', faults) ?? {}) as z.output<typeof shape>
      if (faults.length > 0) throw validationFailed(faults)
      return ({ tag }) => tools?.includes(nameOf.get(tag) ?? '') ?? true
    },
  }
}
