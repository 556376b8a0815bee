import type { ErrorKind } from '../../platform/api/errors.ts'
import type { Operation } from '../../platform/api/operation.ts'
import { errorHeaders, type Traits, traitsOf } from '../../platform/api/traits.ts'
import { headerRefs } from './headers.ts'
import type { Components, JsonSchema } from './json-schema.ts'

/** Component names of shared responses. A combination of codes that only one operation has is described inline. */
const names: Record<string, string> = {
  validation_failed: 'BadRequest',
  'validation_failed malformed_json': 'BadBody',
  'validation_failed invalid_cursor': 'BadListRequest',
  'missing_api_key invalid_api_key': 'Unauthorized',
  insufficient_scope: 'Forbidden',
  operation_sunset: 'Gone',
  'rate_limited quota_exhausted key_banned': 'TooManyRequests',
  rate_limited: 'TooManyQuestions',
  'unavailable outcome_unknown': 'WriteUnavailable',
}

const nameOf = (kinds: readonly ErrorKind[]): string | undefined =>
  names[kinds.map(({ code }) => code).join(' ')] ??
  (kinds.length === 1 ? pascal((kinds[0] as ErrorKind).code) : undefined)

const pascal = (code: string): string => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The error responses of an operation, by status. */
export function errorResponses(traits: Traits, { responses }: Components): JsonSchema {
  const byStatus = Map.groupBy(traits.errors, ({ status }) => status)
  const entries = [...byStatus].map(([status, kinds]) => {
    const name = nameOf(kinds)
    if (name === undefined) return [String(status), response(kinds, status)]
    responses[name] ??= response(kinds, status)
    return [String(status), { $ref: `#/components/responses/${name}` }]
  })
  responses.OtherError ??= {
    description: 'Any other error.',
    headers: headerRefs(errorHeaders(500)),
    content: contentOf({}),
  }
  return { ...Object.fromEntries(entries), default: { $ref: '#/components/responses/OtherError' } }
}

function response(kinds: readonly ErrorKind[], status: number): JsonSchema {
  const examples = kinds.map(({ code }) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description: kinds.map(({ code, title }) => `\`${code}\`: ${title}`).join('\n\n'),
    headers: headerRefs(errorHeaders(status)),
    content: contentOf({ examples: Object.fromEntries(examples) }),
  }
}

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
  requestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  docs: `${baseUrl}/errors#${code}`,
  ...(code === 'validation_failed' && { errors: [{ in: 'body', path: '/name', message: 'is required' }] }),
})
