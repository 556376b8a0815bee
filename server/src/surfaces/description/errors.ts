import type { ErrorKind } from '../../platform/api/errors.ts'
import type { Operation } from '../../platform/api/operation.ts'
import { commonHeaders, type Traits, traitsOf } from '../../platform/api/traits.ts'
import { headerRefs } from './headers.ts'
import type { Components, JsonSchema } from './json-schema.ts'

/** Component names of shared responses. A response that only one operation has is described inline. */
const names: Record<string, string> = {
  validation_failed: 'BadRequest',
  'validation_failed malformed_json': 'BadBody',
  'validation_failed invalid_cursor': 'BadListRequest',
  'missing_api_key invalid_api_key': 'Unauthorized',
  insufficient_scope: 'Forbidden',
  'rate_limited quota_exhausted key_banned': 'TooManyRequests',
  'unavailable outcome_unknown': 'WriteUnavailable',
  'idempotency_in_progress webhook_inactive webhook_backlog_full': 'WebhookConflict',
}

const pascal = (code: string): string => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The component name of a response with these codes, if it may be shared. */
export function errorName(codes: readonly string[]): string | undefined {
  const [first, second, ...others] = codes
  if (first === undefined) return undefined
  if (second === undefined) return names[first] ?? pascal(first)
  // What a POST with an unknown id in its body gets.
  const isOfBody = first === 'idempotency_key_reused' && others.length === 0
  return names[codes.join(' ')] ?? (isOfBody ? `${pascal(second)}OrKeyReused` : undefined)
}

/** The error responses of an operation, by status. */
export function errorResponses(traits: Traits, { responses }: Components): JsonSchema {
  const byStatus = Map.groupBy(traits.errors, ({ status }) => status)
  const entries = [...byStatus].map(([status, kinds]) => [
    String(status),
    { ...response(kinds), headers: headerRefs(traits.headersOf(status)) },
  ])
  responses.OtherError ??= {
    description: 'Any other error.',
    headers: headerRefs([...commonHeaders, 'Allow']),
    content: contentOf({}),
  }
  return { ...Object.fromEntries(entries), default: { $ref: '#/components/responses/OtherError' } }
}

/** The examples say what each code means. */
const response = (kinds: readonly ErrorKind[]): JsonSchema => ({
  description: kinds.map(({ code }) => `\`${code}\``).join(', '),
  content: contentOf({
    examples: Object.fromEntries(kinds.map(({ code }) => [code, { $ref: `#/components/examples/${code}` }])),
  }),
})

const contentOf = (examples: JsonSchema): JsonSchema => ({
  'application/json': { schema: { $ref: '#/components/schemas/Error' }, ...examples },
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
})

/** One example per error code, which the responses reference. */
export function errorExamples(operations: readonly Operation[], baseUrl: string): JsonSchema {
  const kinds = new Map(operations.flatMap((operation) => traitsOf(operation).errors.map((kind) => [kind.code, kind])))
  const sorted = [...kinds.values()].sort((one, other) => (one.code < other.code ? -1 : 1))
  return Object.fromEntries(sorted.map((kind) => [kind.code, { value: example(kind, baseUrl) }]))
}

const example = ({ code, title, advice, status }: ErrorKind, baseUrl: string) => ({
  code,
  message: `${title} ${advice}`,
  status,
  requestId: 'a1b2c3',
  docs: `${baseUrl}/errors#${code}`,
  ...(code === 'validation_failed' && { errors: [{ in: 'body', path: '/name', message: 'is required' }] }),
})
