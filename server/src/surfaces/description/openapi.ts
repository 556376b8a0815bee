import { z } from 'zod'
import { createErrorShapes } from '../../platform/api/error-shapes.ts'
import type { Shop } from '../../platform/compose/shop.ts'
import { plans } from '../../platform/keys/plans.ts'
import { formatNumber } from '../../platform/lib/text.ts'
import { callbacksOf } from './callbacks.ts'
import { errorExamples } from './errors.ts'
import { headerDocs } from './headers.ts'
import { applyExtends, type Components, type JsonSchema, jsonSchema } from './json-schema.ts'
import { describeOperation } from './operation.ts'
import { type Paths, shareRepeats } from './share.ts'

/** A plan's requests per minute and per day. */
const planRow = (plan: string, ...limits: (number | string)[]): string =>
  `| ${[plan, ...limits.map((limit) => (typeof limit === 'number' ? formatNumber(limit) : limit))].join(' | ')} |`

const planTable = [
  '| Plan | Requests per minute | Requests per day |',
  '| --- | --- | --- |',
  ...Object.entries(plans).map(([plan, { perMinute, perDay }]) => planRow(plan, perMinute, perDay)),
  planRow('enterprise', 'custom', 'custom'),
].join('\n')

/** The text that the description begins with: what the shop says, and what is the same for all shops. */
function describeShop({ introduction, sections = [], guides }: Shop): string {
  const names = new Set(guides?.groups.flatMap((group) => Object.keys(group.guides)))
  const see = (guide: string, words: string) => (names.has(guide) ? ` See [${words}](/docs/guides/${guide}).` : '')
  return [
    introduction,
    `**Authentication.** Send your API key in \`X-API-Key\`, or as a bearer token.${see('keys', 'getting a key')}`,
    `**Lists** are plain arrays. \`limit\` sets the page size; the \`Link\` header has the URL of the next page.${see('pagination', 'pagination')}`,
    `**Limits.** Every response has \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; \`RateLimit\` and \`RateLimit-Policy\` describe both windows. Only what the HTTP parser rejects has none, and no body: 400 for what is not valid HTTP and for \`OPTIONS *\`, 431 for more than 64 KiB or 198 headers, 505 for another version; a method that no standard names closes the connection. After a 429, wait the number of seconds in \`Retry-After\`, and longer each time if it is not enough (exponential backoff); if a client keeps sending, its key may be banned temporarily.${see('limits', 'limits')}`,
    planTable,
    `**Retries.** Every POST accepts an \`Idempotency-Key\`.${see('idempotent-retries', 'retries')} **Concurrent edits** are detected with \`ETag\` and \`If-Match\`.${see('conditional-requests', 'conditional requests')}`,
    '**Errors** all have the same format, with a code. See [errors](/errors).',
    ...sections,
    '**Ids** are int64; assigned ids are from 1 to below 2^53. An id that no resource has, 0 and negative ones included, is 404 in a path and 422 in a body, and matches nothing in a filter. Anything that is not an int64, and any other number that cannot be represented exactly, is rejected with 400.',
    '**Text.** Control characters and lone surrogates are rejected with 400; only a `description` may have tabs and line feeds. Outer spaces of a `name` are removed, and at least one of its characters must be visible.',
    '**Methods.** HEAD works wherever GET does. OPTIONS returns what other origins may send and uses no quota; it belongs to CORS, so no operation describes it. Any other method on an existing path returns 405 `method_not_allowed`, with the supported methods in `Allow`; an unknown path returns 404 `route_not_found`. Both have the usual error format.',
    `**Growth.** Fields, operations and values may be added. Enumerations that may get more values are marked \`x-extensible-enum\`: handle values you do not know. Nothing stable is removed or narrowed without \`Deprecation\` and \`Sunset\` headers at least six months ahead; operations marked \`beta\` may still change, and those marked \`experimental\` may also be removed, with any release.${see('deprecation', 'deprecation')}`,
  ].join('\n\n')
}

/** Builds the OpenAPI 3.0.3 document of the operations for a base URL. */
export function buildOpenapi(shop: Shop, baseUrl: string): JsonSchema {
  const { title, version, operations, errors, tags } = shop
  const components: Components = { schemas: {}, parameters: {}, responses: {}, callbacks: {} }
  jsonSchema(z.object(createErrorShapes(errors)), 'output', components)
  const paths: Paths = {}
  for (const operation of operations) {
    const path = paths[operation.path] ?? {}
    paths[operation.path] = path
    path[operation.method] = describeOperation(operation, operations, components)
  }
  applyExtends(components.schemas)
  shareRepeats(paths, components)
  for (const { sends, tag, path, method } of operations) {
    const described = paths[path]?.[method]
    if (sends && described) described.callbacks = callbacksOf(sends.union, sends.to, tag, components)
  }
  return {
    openapi: '3.0.3',
    info: {
      title,
      version,
      description: describeShop(shop).replaceAll('](/', `](${baseUrl}/`),
      contact: { name: `The ${title} team`, url: `${baseUrl}/` },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: baseUrl, description: 'This service.' }],
    security: [{ ApiKey: [] }, { Bearer: [] }],
    tags: tags.map(({ name, description, parent }) => ({ name, description, ...(parent && { 'x-parent': parent }) })),
    'x-tagGroups': tags
      .filter((group) => !group.parent)
      .map(({ name }) => ({ name, tags: tags.filter(({ parent }) => parent === name).map((tag) => tag.name) })),
    paths,
    components: {
      schemas: sortKeys(components.schemas),
      parameters: sortKeys(components.parameters),
      responses: sortKeys(components.responses),
      callbacks: sortKeys(components.callbacks),
      examples: errorExamples(operations, baseUrl),
      headers: headerDocs(shop, baseUrl),
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The secret of an API key.',
        },
        Bearer: { type: 'http', scheme: 'bearer', description: 'The same secret as a bearer token.' },
      },
    },
  }
}

const sortKeys = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
