// Writes openapi.json, the committed description, from the operations.
import { currentDescription } from './description.ts'

await Bun.write('openapi.json', currentDescription())
