import { statusDiagram } from '../pets/status-diagram.ts'

/** How the description begins. */
export const introduction =
  'This service manages a catalogue of pets, their categories, orders for them, and the stock of each.'

/** What the description says about the status of a pet. */
export const statusSection = `**Status of a pet.** Unless the pet is held, its status follows the stock:

| In stock | Open orders | Status |
| --- | --- | --- |
| some | any | \`available\` |
| none | at least one | \`pending\` |
| none | none | \`sold\` |

\`\`\`mermaid
${statusDiagram()}
\`\`\`

A person can set \`pending\` or \`sold\` against the stock. The pet is then held (\`held\` above): it cannot be ordered, and stock changes do not affect its status. The hold ends when someone sets the status that follows from the current stock. Setting \`available\` with nothing in stock, and changing \`sold\` to \`pending\`, are rejected. See [pets and stock](/docs/guides/pets-and-stock).`

/** What language models are told about the clients of this service. */
export const agentNotes = (baseUrl: string): string[] => [
  'In TypeScript or JavaScript, use the SDK, `@petstore/sdk`: it waits, retries, follows pages and sends an `Idempotency-Key` by itself; `If-Match` only if you pass `ifMatch`. With plain HTTP, follow all the rules below.',
  `Test against a private shop that can simulate errors, with \`petstore sandbox\`. Its report says what a client does wrong. See [Test your client](${baseUrl}/docs/guides/testing.md).`,
]
