import committed from '../../../../openapi.json' with { type: 'text' }
import type { JsonSchema } from './json-schema.ts'

// Imported as text, although TypeScript takes a .json file for an object.
const text = String(committed)

/** The placeholder for the base URL in the committed file. */
export const placeholderUrl = 'https://petstore.example.com'

/**
 * The description for a base URL. `npm run openapi` generates the file from the operations and `npm test` checks that it is current,
 * so startup does not have to generate it.
 */
export const descriptionFor = (baseUrl: string): JsonSchema => JSON.parse(text.replaceAll(placeholderUrl, baseUrl))
