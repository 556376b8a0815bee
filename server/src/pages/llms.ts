import { guides } from './guides.ts'
import type { Place } from './layout.ts'
import { type ApiDocument, type DescribedOperation, operationsIn } from './reference/document.ts'

/** What a language model needs to use the service, as plain text with links (llmstxt.org). */
export function llmsText({ baseUrl }: Place, document: ApiDocument): string {
  const operations = operationsIn(document)
  const tags = document['x-tagGroups'].flatMap((group) => group.tags)
  return `# Pet Store

> An HTTP service for a shop that sells animals: catalogue, categories, orders and stock. JSON over HTTP, OpenAPI 3.0.3.

- Base address: ${baseUrl}
- Send the API key in the header \`X-API-Key\`. The scope an operation needs stands behind it below.
- Lists are bare arrays of at most \`limit\` items (1 to 100, 20 unless given). The next page is in \`Link: <…>; rel="next"\`.
- Errors hold \`code\`, \`message\`, \`status\`, \`requestId\` and \`docs\`. Act on \`code\`.
- After 429 wait as many seconds as \`Retry-After\` says before sending anything else; going on leads to a temporary ban.
- Send an \`Idempotency-Key\` with every POST and repeat it when you retry.
- Unknown fields and query parameters are refused with 400.
- Every page is Markdown when \`.md\` is added to its address, or with \`Accept: text/markdown\`.

## Description

- [OpenAPI 3.0.3, JSON](${baseUrl}/openapi.json): every operation, shape, header and error
- [OpenAPI 3.0.3, YAML](${baseUrl}/openapi.yaml)
- [OpenAPI 3.1, JSON](${baseUrl}/openapi-3.1.json)
- [Reference](${baseUrl}/docs.md): every operation in Markdown
- [Errors](${baseUrl}/errors.md): every code and what to do about it

## Guides

${guides.map(({ name, title, summary }) => `- [${title}](${baseUrl}/docs/guides/${name}.md): ${summary}`).join('\n')}

## Operations
${tags
  .map(
    (tag) =>
      `\n### ${tag}\n\n${operations
        .filter((operation) => operation.tags.includes(tag))
        .map(line)
        .join('\n')}\n`,
  )
  .join('')}`
}

function line(operation: DescribedOperation): string {
  const notes = [
    operation['x-required-scope'] ?? 'any key',
    operation['x-stability'],
    operation['x-deprecated-sunset'] && `deprecated, gone after ${operation['x-deprecated-sunset']}`,
  ].filter((note) => note !== undefined)
  return `- ${operation.method} ${operation.path}: ${operation.summary} (${notes.join('; ')})`
}
