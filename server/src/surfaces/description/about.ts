import manifest from '../../../../package.json' with { type: 'json' }
import { statusDiagram } from '../../shop/stock/diagram.ts'
import type { Description } from './openapi.ts'

/** The introduction, the tags and the version of the description. */
export const about: Description = {
  title: 'Pet Store',
  version: manifest.version,
  description: `This service manages a catalogue of pets, their categories, orders for them, and the stock of each.

**Authentication.** Send your API key in \`X-API-Key\`, or as a bearer token. See [getting a key](/docs/guides/keys).

**Lists** are plain arrays. \`limit\` sets the page size; the \`Link\` header has the URL of the next page. See [pagination](/docs/guides/pagination).

**Limits.** Every response has \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; \`RateLimit\` and \`RateLimit-Policy\` describe both windows. After a 429, wait the number of seconds in \`Retry-After\`; if a client keeps sending, its key may be banned temporarily. See [limits](/docs/guides/limits).

**Retries.** Every POST accepts an \`Idempotency-Key\`. See [retries](/docs/guides/idempotent-retries). **Concurrent edits** are detected with \`ETag\` and \`If-Match\`. See [conditional requests](/docs/guides/conditional-requests).

**Errors** all have the same format, with a code. See [errors](/errors).

**Status of a pet.** Unless the pet is held, its status follows the stock:

| In stock | Open orders | Status |
| --- | --- | --- |
| some | any | \`available\` |
| none | at least one | \`pending\` |
| none | none | \`sold\` |

\`\`\`mermaid
${statusDiagram()}
\`\`\`

A person can set \`pending\` or \`sold\` against the stock. The pet is then held (\`held\` above): it cannot be ordered, and stock changes do not affect its status. The hold ends when someone sets the status that follows from the current stock. Setting \`available\` with nothing in stock, and changing \`sold\` to \`pending\`, are rejected. See [pets and stock](/docs/guides/pets-and-stock).

**Ids** are int64 starting at 1; assigned ids are below 2^53. Paths, queries and bodies accept any int64 exactly, so an unknown id is reported as unknown. Any other number that cannot be represented exactly is rejected with 400.

**Text.** Control characters and lone surrogates are rejected with 400; only a \`description\` may have tabs and line feeds. Outer spaces of a \`name\` are removed, and at least one of its characters must be visible.

**Methods.** HEAD works wherever GET does. OPTIONS returns what other origins may send and uses no quota. Any other method on an existing path returns 405 \`method_not_allowed\`, with the supported methods in \`Allow\`; an unknown path returns 404 \`route_not_found\`. Both have the usual error format.

**Growth.** Fields, operations and values may be added. Enumerations that may get more values are marked \`x-extensible-enum\`: handle values you do not know. See [deprecation](/docs/guides/deprecation).`,
  tags: [
    { name: 'Pets', description: 'The catalogue: pets and their categories.' },
    { name: 'Store', description: 'Orders, and the stock of each pet.' },
    { name: 'Platform', description: 'Keys, limits, usage, events and webhooks.' },
    { name: 'Catalogue', description: 'The pets in the shop.', parent: 'Pets' },
    { name: 'Categories', description: 'Groups of pets, for example rabbits.', parent: 'Pets' },
    { name: 'Orders', description: 'Orders for pets. They belong to the key that placed them.', parent: 'Store' },
    { name: 'Inventory', description: 'The stock of each pet.', parent: 'Store' },
    { name: 'API keys', description: 'Who may call the API, and with which permissions.', parent: 'Platform' },
    { name: 'Usage', description: 'Current limits and past usage.', parent: 'Platform' },
    { name: 'Events', description: 'Changes in the shop, as a list or a stream.', parent: 'Platform' },
    { name: 'Webhooks', description: 'Receivers of events, and their deliveries.', parent: 'Platform' },
  ],
}
