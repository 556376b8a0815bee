import type { GuidePart } from './guides.ts'
import { isGuideServed, type Site } from './layout.ts'
import { type ApiDocument, type DescribedOperation, operationsIn } from './reference/document.ts'

/** A summary for language models, as plain text with links (llmstxt.org). */
export function llmsText({ baseUrl, shop }: Site, document: ApiDocument, tree: readonly GuidePart[]): string {
  const see = (guide: string, words: string) =>
    isGuideServed(shop, `/docs/guides/${guide}`) ? ` See [${words}](${baseUrl}/docs/guides/${guide}.md).` : ''
  const operations = operationsIn(document)
  const notes = shop.agentNotes?.(baseUrl) ?? []
  const tags = document['x-tagGroups'].flatMap((group) => group.tags)
  return `# ${shop.title}

> ${shop.agentSummary} JSON over HTTP, OpenAPI 3.0.3.

- Base URL: ${baseUrl}
- Send the API key in the \`X-API-Key\` header, never in a URL. The scope that an operation requires is listed after it below.
${notes.map((note) => `- ${note}\n`).join('')}- Every response has \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds) for the window with the least left. \`GET /limits\` returns both windows and costs nothing.${see('limits', 'Limits and bans')}
- After a 429, send nothing with that key for the number of seconds in \`Retry-After\`; clients that continue are banned temporarily.
- Retry 429, 503, 500, 409 \`idempotency_in_progress\` and requests without a response: after \`Retry-After\`, if there is one, plus a random delay that doubles with each retry. Retry no other error.${see('idempotent-retries', 'Retry safely')}
- Send an \`Idempotency-Key\` with every POST, and the same key and body when you retry it.
- Send \`If-Match\` with the \`ETag\` that you read when you change or delete something. After a 412, read it again.${see('conditional-requests', 'Edit safely')}
- Lists are bare arrays of at most \`limit\` items (1 to 100, default 20). The URL of the next page is in \`Link: <…>; rel="next"\`; do not build cursors.
- Errors have \`code\`, \`message\`, \`status\`, \`requestId\` and \`docs\`. Act on \`code\`.
- If a response has a \`Deprecation\` header, call the URL in its \`Link\` with \`rel="successor-version"\` instead.
- Unknown fields and query parameters return 400. Ignore response fields that you do not know.
- Webhooks: verify the signature over the raw body, respond with 2xx within 15 seconds, and handle each \`webhook-id\` once.${see('webhooks', 'Receive webhooks')}
- Agents can call the operations as tools over the Model Context Protocol: ${baseUrl}/mcp, with the same key.${see('agents', 'Connect an agent')}
- For the Markdown version of a page, add \`.md\` to its URL or send \`Accept: text/markdown\`. All pages in one file: ${baseUrl}/llms-full.txt

## OpenAPI document

- [OpenAPI 3.0.3, JSON](${baseUrl}/openapi.json): every operation, schema, header and error
- [OpenAPI 3.0.3, YAML](${baseUrl}/openapi.yaml)
- [OpenAPI 3.1, JSON](${baseUrl}/openapi-3.1.json)
- [Reference](${baseUrl}/docs.md): every operation in Markdown, with parameters, bodies, responses and headers
- [Errors](${baseUrl}/errors.md): every code and how to fix it

${tree
  .map(
    ({ title, guides }) =>
      `## ${title}\n\n${guides.map(({ name, title, summary }) => `- [${title}](${baseUrl}/docs/guides/${name}.md): ${summary}`).join('\n')}\n`,
  )
  .join('\n')}
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
