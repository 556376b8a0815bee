import { describe, routes } from '../server/src/app.ts'
import { createMemoryLimiter } from '../server/src/limits/memory.ts'

/** openapi.json as the operations say it should be. Nothing is asked of them here, so the parts they need may be empty. */
export async function currentDescription(): Promise<string> {
  const description = describe(routes({ limiter: createMemoryLimiter(), usage: { flush: async () => undefined } }))
  return `${JSON.stringify(description, null, 2)}\n`
}
