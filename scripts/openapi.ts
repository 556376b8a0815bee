// Writes openapi.json, the committed description, from the operations.
import { describe, routes } from '../server/src/app.ts'
import { createLocalLimiter } from '../server/src/limits/local.ts'

const limiter = await createLocalLimiter(undefined, 0)
const description = describe(routes(limiter))
await Bun.write('openapi.json', `${JSON.stringify(description, null, 2)}\n`)
