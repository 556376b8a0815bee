import { statusDiagram } from '../stock/diagram.ts'
import type { Description } from './openapi.ts'

/** What the description says of the service as a whole. */
export const about: Description = {
  title: 'Pet Store',
  version: '1.0.0',
  description: `The service manages a catalogue of animals, the categories they belong to, orders for them, and the stock of each.

**Authentication.** Send your API key in \`X-API-Key\`, or as a bearer token. See [getting a key](/docs/guides/keys).

**Lists** are bare arrays. \`limit\` sets the page size; the next page is in the \`Link\` header. See [pagination](/docs/guides/pagination).

**Limits.** Every answer carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`, and the same for both windows in \`RateLimit\` and \`RateLimit-Policy\`. After a 429, wait as many seconds as \`Retry-After\` says; a client that keeps sending may have its key banned for a while. See [limits](/docs/guides/limits).

**Retries.** Every POST takes an \`Idempotency-Key\`. See [retries](/docs/guides/idempotent-retries). **Concurrent edits** are caught with \`ETag\` and \`If-Match\`. See [conditional requests](/docs/guides/conditional-requests).

**Errors** have one form and a code each. See [errors](/errors).

**Status of a pet.** Unless a person holds it, the status follows the stock:

| In stock | Open orders | Status |
| --- | --- | --- |
| some | any | \`available\` |
| none | at least one | \`pending\` |
| none | none | \`sold\` |

\`\`\`mermaid
${statusDiagram()}
\`\`\`

A person may set \`pending\` or \`sold\` against the stock: a hold (\`held\` above), which outlasts changes of stock and refuses orders. It ends when somebody sets the status that the stock says at that moment. Setting \`available\` with nothing in stock, and \`sold\` to \`pending\`, are refused. See [orders and stock](/docs/guides/orders-and-stock).

**Ids** are int64 from 1 on; those that the service assigns are below 2^53. In a path or a query any int64 is read exactly, so one that nothing has is not found. In a body a number from 2^53 on is refused with 400, since many readers of JSON would round it.

**Methods.** HEAD works wherever GET does. OPTIONS answers what other origins may send and costs nothing. Any other method on a path that exists is 405 \`method_not_allowed\`, with the methods there are in \`Allow\`; a path that does not exist is 404 \`route_not_found\`. Both have the form of every error.`,
  tags: [
    { name: 'Pets', description: 'The catalogue: animals and the categories they belong to.' },
    { name: 'Store', description: 'What is sold: orders, and how many of each pet are in stock.' },
    { name: 'Platform', description: 'What surrounds the store: keys, limits, usage and events.' },
    { name: 'Catalogue', description: 'The animals in the shop.', parent: 'Pets' },
    { name: 'Categories', description: 'Groups of pets, for example a kind of animal.', parent: 'Pets' },
    { name: 'Orders', description: 'Orders for pets. They belong to the key that placed them.', parent: 'Store' },
    { name: 'Inventory', description: 'How many of each pet are in stock.', parent: 'Store' },
    { name: 'API keys', description: 'Who may call, and what they may do.', parent: 'Platform' },
    { name: 'Usage', description: 'What is left of a quota, and what was used.', parent: 'Platform' },
    { name: 'Events', description: 'What happened in the shop, to be read or followed.', parent: 'Platform' },
    { name: 'Webhooks', description: 'Where events are sent to, and what became of each.', parent: 'Platform' },
  ],
}
