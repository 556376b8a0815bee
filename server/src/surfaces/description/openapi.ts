import { z } from 'zod'
import { createErrorShapes } from '../../platform/api/error-shapes.ts'
import type { Shop } from '../../platform/compose/shop.ts'
import { describeShop } from './about.ts'
import { callbacksOf } from './callbacks.ts'
import { errorExamples } from './errors.ts'
import { headerDocs } from './headers.ts'
import { applyExtends, type Components, type JsonSchema, jsonSchema } from './json-schema.ts'
import { describeOperation } from './operation.ts'

/** Builds the OpenAPI 3.0.3 document of the operations for a base URL. */
export function buildOpenapi(shop: Shop, baseUrl: string): JsonSchema {
  const { title, version, operations, errors, tags } = shop
  const components: Components = { schemas: {}, parameters: {}, responses: {} }
  jsonSchema(z.object(createErrorShapes(errors)), 'output', components)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of operations) {
    const path = paths[operation.path] ?? {}
    paths[operation.path] = path
    path[operation.method] = describeOperation(operation, operations, components)
  }
  applyExtends(components.schemas)
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
