import { readFileSync } from 'node:fs'

interface Described {
  readonly $ref?: string
  readonly headers?: object
  readonly content?: Record<string, { readonly examples?: object }>
}

interface Description {
  readonly paths: Record<
    string,
    Record<string, { operationId: string; responses: Record<string, Described>; callbacks?: object }>
  >
  readonly components: { readonly responses: Record<string, Described> }
}

/** Errors where there is no operation, which the introduction of the description names. */
const outside = ['outside 404 route_not_found', 'outside 405 method_not_allowed', 'outside 503 unavailable']

/**
 * Checks that a test saw every declared (operation, status, code), every header of every status, and every event. An undeclared
 * one fails the test that saw it.
 */
export function contractCoverage(contractSeen: string): string {
  const seen = new Set(readFileSync(contractSeen, 'utf8').split('\n'))
  const missing = declaredIn(JSON.parse(readFileSync('openapi.json', 'utf8'))).filter((one) => !seen.has(one))
  return missing.length === 0
    ? ''
    : `Declared, but never exercised by a test:\n${missing.map((one) => `  ${one}`).join('\n')}`
}

function declaredIn({ paths, components }: Description): string[] {
  const nameOf = ({ $ref }: Described) => $ref?.split('/').at(-1)
  const resolve = (response: Described) => components.responses[nameOf(response) ?? ''] ?? response
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const responses = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([status]) => status !== 'default')
      .flatMap(([status, response]) => {
        const codes = Object.keys(resolve(response).content?.['application/json']?.examples ?? {})
        return codes.length === 0
          ? [`${operationId} ${status}`]
          : codes.map((code) => `${operationId} ${status} ${code}`)
      }),
  )
  const headers = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      // Any other error comes from no operation.
      const where = status === 'default' ? nameOf(response) : `${operationId} ${status}`
      return Object.keys(resolve(response).headers ?? {}).map((header) => `${where}, header ${header}`)
    }),
  )
  const sent = operations.flatMap(({ callbacks = {} }) => Object.keys(callbacks).map((type) => `callback ${type}`))
  return [...responses, ...new Set(headers), ...sent, ...outside]
}
