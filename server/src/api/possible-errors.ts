import type { ErrorCode } from './errors.ts'
import { isPaged } from './list-page.ts'
import type { Operation } from './operation.ts'

/** Every error an operation can give: its own, and those of each step that its definition sends it through. */
export function possibleErrors(operation: Operation): ErrorCode[] {
  const { scope, method, body, etag, deprecation, errors = [] } = operation
  const when = (condition: unknown, ...codes: ErrorCode[]) => (condition ? codes : [])
  return [
    'validation_failed',
    ...when(body, 'malformed_json', 'body_too_large', 'unsupported_media_type'),
    ...when(isPaged(operation), 'invalid_cursor'),
    'missing_api_key',
    'invalid_api_key',
    ...when(scope, 'insufficient_scope'),
    'not_acceptable',
    ...when(deprecation, 'operation_sunset'),
    ...when(etag && method !== 'get' && method !== 'post', 'precondition_failed'),
    ...when(method === 'post', 'idempotency_in_progress', 'idempotency_key_reused'),
    ...errors,
    'uri_too_long',
    'rate_limited',
    ...when(operation.meter !== 'own', 'quota_exhausted', 'key_banned'),
    'headers_too_large',
    'internal_error',
    'unavailable',
  ]
}
