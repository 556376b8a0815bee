import type { Description } from './http/openapi.ts'

/** What the description says of the service as a whole. */
export const about: Description = {
  title: 'Pet Store',
  version: '1.0.0',
  description: `The service manages a catalogue of animals, the categories they belong to, orders for them, and the stock of each.

**Authentication.** Send your API key in \`X-API-Key\`, or as a bearer token.

**Lists** are bare arrays. \`limit\` sets the page size; the next page is in the \`Link\` header.

**Limits.** Every answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. After a 429, wait as many seconds as \`Retry-After\` says; a client that keeps sending may have its key banned for a while.

**Retries.** Every POST takes an \`Idempotency-Key\`. **Concurrent edits** are caught with \`ETag\` and \`If-Match\`.

**Status of a pet.** Unless a person holds it, the status follows the stock:

\`\`\`text
                 something in stock
        +------------------------------------+
        v                                    |
   available --- none left, order open ---> pending
        |  ^                                 |
        |  +--- something in stock --- sold <+
        |                               ^    none left, no order open
        +--- none left, none open ------+
\`\`\`

A person may set \`pending\` or \`sold\` against the stock: a hold, which stays and refuses orders until somebody sets \`available\`. Setting \`available\` with nothing in stock, and \`sold\` to \`pending\`, are refused.

**HEAD** works wherever GET does.`,
  tags: [
    { name: 'Pets', description: 'The catalogue: animals and the categories they belong to.' },
    { name: 'Store', description: 'What is sold: orders, and how many of each pet are in stock.' },
    { name: 'Platform', description: 'What surrounds the store: keys, limits and usage.' },
    { name: 'Catalogue', description: 'The animals in the shop.', parent: 'Pets' },
    { name: 'Categories', description: 'Groups of pets, for example a kind of animal.', parent: 'Pets' },
    { name: 'Orders', description: 'Orders for pets. They belong to the key that placed them.', parent: 'Store' },
    { name: 'Inventory', description: 'How many of each pet are in stock.', parent: 'Store' },
    { name: 'API keys', description: 'Who may call, and what they may do.', parent: 'Platform' },
    { name: 'Usage', description: 'What is left of a quota, and what was used.', parent: 'Platform' },
  ],
}
