// Writes openapi.json, the committed description, from the operations, and what the SDK and the command line take from it.
import { $ } from 'bun'
import { currentDescription } from './description.ts'

await Bun.write('openapi.json', currentDescription())
await $`bun server/test/surfaces/description/clients/install.ts && bun sdk/generate.ts && bun cli/generate.ts`
