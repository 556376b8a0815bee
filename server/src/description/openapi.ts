import { z } from 'zod'
import { ErrorShape, Problem } from '../api/error-shapes.ts'
import type { Operation } from '../api/operation.ts'
import { errorExamples } from './errors.ts'
import { headerDocs } from './headers.ts'
import { type Components, type JsonSchema, jsonSchema, relate } from './json-schema.ts'
import { describeOperation } from './operation.ts'

interface Tag {
  readonly name: string
  readonly description: string
  /** The navigation group it belongs to; a tag without one is a group and owns no operation. */
  readonly parent?: string
}

export interface Description {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly tags: readonly Tag[]
}

/** The OpenAPI 3.0.3 document of the operations, as it is served from an address. */
export function openapi(operations: readonly Operation[], { tags, ...info }: Description, baseUrl: string): JsonSchema {
  const components: Components = { schemas: {}, parameters: {}, responses: {} }
  jsonSchema(z.object({ error: ErrorShape, problem: Problem }), 'output', components)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of operations) {
    const path = paths[operation.path] ?? {}
    paths[operation.path] = path
    path[operation.method] = describeOperation(operation, operations, components)
  }
  relate(components.schemas)
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
      schemas: sorted(components.schemas),
      parameters: sorted(components.parameters),
      responses: sorted(components.responses),
      examples: errorExamples(operations, baseUrl),
      headers: headerDocs(baseUrl),
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The key, as it was shown when it was made.',
        },
        Bearer: { type: 'http', scheme: 'bearer', description: 'The same key as a bearer token.' },
      },
    },
  }
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
