import type { Description } from './description.ts'

/** The table of all calls, for the README. */
export function callsTable({ operations }: Description): string {
  const rows = operations.map(
    ({ 'x-sdk-call': call, method, path, summary, deprecated }) =>
      `| \`${call}\` | \`${method.toUpperCase()} ${path}\` | ${summary}${deprecated ? ' (deprecated)' : ''} |`,
  )
  return ['| Call | Operation | |', '| --- | --- | --- |', ...rows, ''].join('\n')
}
