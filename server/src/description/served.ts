import committed from '../../../openapi.json' with { type: 'text' }
import type { JsonSchema } from './json-schema.ts'

// Text, whatever the compiler makes of the name of the file.
const text = String(committed)

/** The address in the committed file, which is of no place. */
export const neutralUrl = 'https://petstore.example.com'

/**
 * The description as it is served from an address. `npm run openapi` makes it from the operations and `npm test` holds it to them, so
 * no start has to make it again.
 */
export const descriptionFor = (baseUrl: string): JsonSchema => JSON.parse(text.replaceAll(neutralUrl, baseUrl))
