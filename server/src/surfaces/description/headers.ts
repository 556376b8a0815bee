import { traitsOf } from '../../platform/api/traits.ts'
import type { Shop } from '../../platform/compose/shop.ts'
import type { JsonSchema } from './json-schema.ts'

// A required header is on every response that lists it; an optional one depends on the request.
const text = (description: string, example: string, required = true) => ({
  description,
  required,
  schema: { type: 'string' },
  example,
})
const integer = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  example,
})

/** Descriptions of all response headers. */
export const headerDocs = (shop: Shop, baseUrl: string): Record<string, JsonSchema> => {
  const listPath = shop.operations.find((operation) => traitsOf(operation).isPaged)?.path ?? ''
  return {
    'X-Request-Id': text(
      'The id of the request: the one you sent, if it was well-formed.',
      '0f8fad5b-d9cb-469f-a165-70867728950e',
    ),
    'X-RateLimit-Limit': integer('The limit of the window with the fewest requests left.', 60),
    'X-RateLimit-Remaining': integer('Requests left in that window; 0 while the key is banned.', 59),
    'X-RateLimit-Reset': integer(
      'Unix timestamp at which that window ends, or the ban if the key is banned.',
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
    ETag: text('The version of the resource, for `If-None-Match` and `If-Match`.', '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
    Location: text('The URL of the created resource.', `${baseUrl}${listPath}/7`),
    Link: text(
      'The next page (`rel="next"`), or where to poll for new items (`rel="monitor"`); on deprecated operations also the policy and the successor.',
      `<${baseUrl}${listPath}?cursor=WyJpZCIsMjBd>; rel="next"`,
      false,
    ),
    'Idempotent-Replayed': text('`true` if this is the stored response of an earlier request.', 'true', false),
    'WWW-Authenticate': text('How to authenticate.', 'Bearer realm="petstore"'),
    'X-Stability': text('`experimental` or `beta` on operations that may still change.', 'beta', false),
    Deprecation: text('When the operation was deprecated (RFC 9745).', '@1793491200', false),
    Sunset: text('When the deprecated operation ends (RFC 8594).', 'Wed, 30 Jun 2027 23:59:59 GMT', false),
  }
}

export const headerRefs = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
