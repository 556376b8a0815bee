import { z } from 'zod'
import { ErrorShape, Problem } from '../../platform/api/error-shapes.ts'
import type { Operation } from '../../platform/api/operation.ts'
import { callbacksOf } from './callbacks.ts'
import { errorExamples } from './errors.ts'
import { headerDocs } from './headers.ts'
import { applyExtends, type Components, type JsonSchema, jsonSchema } from './json-schema.ts'
import { describeOperation } from './operation.ts'

interface Tag {
  readonly name: string
  readonly description: string
  /** Its navigation group; a tag without a parent is a group and has no operations. */
  readonly parent?: string
}

export interface Description {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly tags: readonly Tag[]
}

/** Builds the OpenAPI 3.0.3 document of the operations for a base URL. */
export function buildOpenapi(
  operations: readonly Operation[],
  { tags, ...info }: Description,
  baseUrl: string,
): JsonSchema {
  const components: Components = { schemas: {}, parameters: {}, responses: {} }
  jsonSchema(z.object({ error: ErrorShape, problem: Problem }), 'output', components)
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
      ...info,
      description: info.description.replaceAll('](/', `](${baseUrl}/`),
      contact: { name: 'The Pet Store team', url: `${baseUrl}/` },
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
      headers: headerDocs(baseUrl),
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
