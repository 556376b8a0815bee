import { readFileSync } from 'node:fs'

/** Checks that a test saw every declared (operation, status) pair. An undeclared one fails the test that saw it. */
export function contractCoverage(contractSeen: string): string {
  const seen = new Set(readFileSync(contractSeen, 'utf8').split('\n'))
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>
  }
  const missing = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`))
    .filter((pair) => !pair.endsWith(' default'))
    .filter((pair) => !seen.has(pair))
  return missing.length === 0
    ? ''
    : `Declared, but never exercised by a test:\n${missing.map((pair) => `  ${pair}`).join('\n')}`
}
