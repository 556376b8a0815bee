/** Headers that scripts on other origins may read: every one that the API defines. */
export const exposedHeaders = [
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Stability',
].join(', ')

const acceptedHeaders =
  'X-API-Key, Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name'

/** The headers of the answer to OPTIONS. */
export const preflightHeaders = (methods: string): Record<string, string> => ({
  Allow: methods,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': acceptedHeaders,
  'Access-Control-Expose-Headers': exposedHeaders,
  'Access-Control-Max-Age': '86400',
})
