import { guides } from './guides.ts'
import type { Site } from './layout.ts'
import { type ApiDocument, type DescribedOperation, operationsIn } from './reference/document.ts'

/** A summary for language models, as plain text with links (llmstxt.org). */
export function llmsText({ baseUrl }: Site, document: ApiDocument): string {
  const operations = operationsIn(document)
  const tags = document['x-tagGroups'].flatMap((group) => group.tags)
  return `# Pet Store

> An HTTP API for a pet shop: catalogue, categories, orders and stock. JSON over HTTP, OpenAPI 3.0.3.

- Base URL: ${baseUrl}
- Send the API key in the \`X-API-Key\` header. The scope that an operation requires is listed after it below.
- Lists are bare arrays of at most \`limit\` items (1 to 100, default 20). The next page is in \`Link: <…>; rel="next"\`.
- Errors have \`code\`, \`message\`, \`status\`, \`requestId\` and \`docs\`. Act on \`code\`.
- After a 429, wait for the number of seconds in \`Retry-After\` before sending anything else; clients that keep calling are banned temporarily.
- Send an \`Idempotency-Key\` with every POST and repeat it when you retry.
- Agents can call the operations as tools over the Model Context Protocol: ${baseUrl}/mcp, with the same key. See [Agents](${baseUrl}/docs/guides/agents.md).
- Test against a private shop that can be told to fail, with \`petstore sandbox\`: see [Testing your client](${baseUrl}/docs/guides/testing.md).
- Unknown fields and query parameters return 400.
- For the Markdown version of a page, add \`.md\` to its address or send \`Accept: text/markdown\`.

## Description

- [OpenAPI 3.0.3, JSON](${baseUrl}/openapi.json): every operation, schema, header and error
- [OpenAPI 3.0.3, YAML](${baseUrl}/openapi.yaml)
- [OpenAPI 3.1, JSON](${baseUrl}/openapi-3.1.json)
- [Reference](${baseUrl}/docs.md): every operation in Markdown
- [Errors](${baseUrl}/errors.md): every code and how to fix it

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
    operation['x-deprecated-sunset'] && `deprecated, removed after ${operation['x-deprecated-sunset']}`,
  ].filter((note) => note !== undefined)
  return `- ${operation.method} ${operation.path}: ${operation.summary} (${notes.join('; ')})`
}
