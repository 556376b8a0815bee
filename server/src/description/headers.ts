import type { JsonSchema } from './json-schema.ts'

// Required: on every answer that lists the header. Optional ones depend on the request.
const text = (description: string, example: string, required = true) => ({
  description,
  required,
  schema: { type: 'string' },
  example,
})
const integer = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: 'integer' },
  example,
})

/** Every header that answers carry, described once. */
export const headerDocs = (baseUrl: string): Record<string, JsonSchema> => ({
  'X-Request-Id': text(
    'The id of the request: yours if you sent a well-formed one.',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
  ),
  'X-RateLimit-Limit': integer('The limit that applies to the client, of the window with least left.', 60),
  'X-RateLimit-Remaining': integer('Requests left in that window.', 59),
  'X-RateLimit-Reset': integer('Unix timestamp at which that window ends.', 1_794_744_060),
  RateLimit: text(
    'Both windows: requests left (`r`) and seconds to the reset (`t`).',
    '"minute";r=59;t=42,"day";r=999;t=51234',
  ),
  'RateLimit-Policy': text(
    'Both windows: quota (`q`) and length in seconds (`w`).',
    '"minute";q=60;w=60,"day";q=1000;w=86400',
  ),
  'Retry-After': integer('Whole seconds to wait; a client that waits just that long is served.', 18),
  ETag: text('The state of the resource, for `If-None-Match` and `If-Match`.', '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
  Location: text('The path of what was created.', '/pets/7'),
  Link: text(
    'The next page (`rel="next"`), or where to ask for one later (`rel="monitor"`); on deprecated operations the policy and the successor.',
    `<${baseUrl}/pets?cursor=WyJpZCIsMjBd>; rel="next"`,
    false,
  ),
  'Idempotent-Replayed': text('`true` when the answer is the stored one of an earlier request.', 'true', false),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer realm="petstore"'),
  'X-Stability': text('On operations that may still change: `experimental` or `beta`.', 'beta', false),
  Deprecation: text('On deprecated operations, since when (RFC 9745).', '@1793491200', false),
  Sunset: text('On deprecated operations, when they end (RFC 8594).', 'Wed, 30 Jun 2027 23:59:59 GMT', false),
})

export const headerRefs = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
