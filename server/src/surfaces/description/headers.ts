import type { Operation } from '../../platform/api/operation.ts'
import { traitsOf } from '../../platform/api/traits.ts'
import type { Shop } from '../../platform/compose/shop.ts'
import type { JsonSchema } from './json-schema.ts'

// A required header is on every response that lists it; an optional one depends on the request.
const text = (description: string, example: string, required = true) => ({
  description,
  ...(required && { required }),
  schema: { type: 'string' },
  example,
})
/** It has no format, because the interface calls for a plain integer. */
const integer = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
  example,
})

/** The short name of a header in the components: nearly every response refers to seven of them. */
const componentOf = (header: string): string => header.replace(/^(X-)?(RateLimit-)?/, '').replaceAll('-', '')

/** Descriptions of all response headers, by their names in the components. */
export const headerDocs = (shop: Shop, baseUrl: string): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(headersOf(shop, baseUrl)).map(([name, doc]) => [componentOf(name), doc]))

const headersOf = (shop: Shop, baseUrl: string): Record<string, JsonSchema> => {
  const listPath = shop.operations.find((operation) => traitsOf(operation).isPaged)?.path ?? ''
  const isRead = (operation: Operation) => traitsOf(operation).takesIfNoneMatch && !operation.deprecation
  const readPath = shop.operations.find(isRead)?.path.replace(/\{\w+\}/, '7') ?? ''
  return {
    'X-Request-Id': text(
      'The id of the request: the one you sent, if it was well-formed.',
      '0f8fad5b-d9cb-469f-a165-70867728950e',
    ),
    'X-RateLimit-Limit': integer(
      'The limit that applies to the client (integer). Of the window with the fewest requests left.',
      60,
    ),
    'X-RateLimit-Remaining': integer(
      'Requests left in the current window (integer). Of the same window; 0 while the key is banned.',
      59,
    ),
    'X-RateLimit-Reset': integer(
      'Unix timestamp at which the limit resets. While the key is banned, the end of the ban.',
      1_794_744_060,
    ),
    RateLimit: text(
      'Both windows: requests left (`r`) and seconds until the reset (`t`).',
      '"minute";r=59;t=42,"day";r=999;t=51234',
    ),
    'RateLimit-Policy': text(
      'Both windows: quota (`q`) and length in seconds (`w`).',
      '"minute";q=60;w=60,"day";q=1000;w=86400',
    ),
    'Retry-After': integer('Seconds to wait before retrying.', 18),
    Allow: text('With 405: the methods that this path has.', 'GET, HEAD, OPTIONS', false),
    'Cache-Control': text(
      'Either `private, no-cache` (store it, but check each time) or `no-store`.',
      'private, no-cache',
    ),
    ETag: text('The version of the resource, for `If-None-Match` and `If-Match`.', '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
    Location: text('The URL of the created resource.', `${baseUrl}${readPath}`),
    Link: text(
      'The next page (`rel="next"`), or where to poll for new items (`rel="monitor"`). Of a deprecated operation, always: the policy and the successor.',
      `<${baseUrl}${listPath}?cursor=WyJpZCIsMjBd>; rel="next"`,
      false,
    ),
    'Idempotent-Replayed': text('`true` if this is the stored response of an earlier request.', 'true', false),
    'WWW-Authenticate': text('How to authenticate.', 'Bearer realm="petstore"'),
    'X-Stability': text('`beta` or `experimental`: the `x-stability` of the operation.', 'beta'),
    Deprecation: text('Since when the operation is deprecated (RFC 9745).', '@1793491200'),
    Sunset: text('When the operation ends (RFC 8594).', 'Wed, 30 Jun 2027 23:59:59 GMT'),
  }
}

export const headerRefs = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentOf(name)}` }]))
