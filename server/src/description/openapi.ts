import { z } from 'zod'
import { ErrorShape, Problem } from '../api/error-shapes.ts'
import { type ErrorCode, errorCatalogue } from '../api/errors.ts'
import type { AnswerSpec, Operation } from '../api/operation.ts'
import { type Traits, traitsOf } from '../api/traits.ts'
import { headerDocs, headersOf } from './headers.ts'
import { exampleOf, type JsonSchema, jsonSchema, metaOf } from './json-schema.ts'

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

/** The OpenAPI 3.0.3 document of the operations. */
export function openapi(operations: readonly Operation[], { tags, ...info }: Description): JsonSchema {
  const components = { schemas: {} as Record<string, JsonSchema>, responses: {} as Record<string, JsonSchema> }
  jsonSchema(z.object({ error: ErrorShape, problem: Problem }), 'output', components.schemas)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    ;(paths[operation.path] as Record<string, JsonSchema>)[operation.method] = describe(operation, components)
  }
  return {
    openapi: '3.0.3',
    info: {
      ...info,
      contact: { name: 'The Pet Store team', url: 'http://localhost:8080/' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security: [{ ApiKey: [] }, { Bearer: [] }],
    tags: tags.map(({ name, description, parent }) => ({ name, description, ...(parent && { 'x-parent': parent }) })),
    'x-tagGroups': tags
      .filter((group) => !group.parent)
      .map(({ name }) => ({ name, tags: tags.filter(({ parent }) => parent === name).map((tag) => tag.name) })),
    paths,
    components: {
      schemas: sorted(components.schemas),
      responses: sorted(components.responses),
      headers: headerDocs,
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

type Components = { schemas: Record<string, JsonSchema>; responses: Record<string, JsonSchema> }

function describe(operation: Operation, components: Components): JsonSchema {
  const { id, tag, summary, description, scope, stability, deprecation, hideTryIt, body } = operation
  const traits = traitsOf(operation)
  const scopeNote = scope ? `\n\nRequired scope: \`${scope}\`.` : '\n\nAny valid key will do.'
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description + scopeNote,
    ...(scope && { 'x-required-scope': scope }),
    ...(stability && { 'x-stability': stability }),
    ...(deprecation && { deprecated: true, 'x-deprecated-sunset': deprecation.sunset }),
    ...(hideTryIt && { 'x-hideTryItPanel': true }),
    parameters: parameters(operation, traits, components.schemas),
    ...(body && { requestBody: requestBody(traits, body, components.schemas) }),
    responses: { ...answers(operation, traits, components.schemas), ...errors(operation, traits, components) },
  }
}

function parameters({ params, query }: Operation, traits: Traits, schemas: Components['schemas']): JsonSchema[] {
  const header = (name: string, description: string, example: string, maxLength: number) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', maxLength },
    example,
  })
  return [
    ...shapeParameters(params, 'path', schemas),
    ...shapeParameters(query, 'query', schemas),
    ...(traits.takesIfNoneMatch
      ? [header('If-None-Match', 'The ETag you have; 304 when it is still current.', '"1kM3…"', 4_096)]
      : []),
    ...(traits.takesIfMatch
      ? [header('If-Match', 'The ETag you read; 412 when the resource has changed since.', '"1kM3…"', 4_096)]
      : []),
    ...(traits.takesIdempotencyKey
      ? [
          header(
            'Idempotency-Key',
            'Makes a retry safe: the same key and body get the first answer again for 24 hours.',
            'order-2026-11-15-0001',
            255,
          ),
        ]
      : []),
  ]
}

function shapeParameters(
  shape: z.ZodType | undefined,
  place: 'path' | 'query',
  schemas: Components['schemas'],
): JsonSchema[] {
  if (!(shape instanceof z.ZodObject)) return []
  return Object.entries(shape.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, example } = metaOf(field)
    const { description: _, example: __, ...schema } = jsonSchema(field, 'input', schemas)
    return {
      name,
      in: place,
      required: place === 'path',
      description,
      schema,
      ...(schema.type === 'array' && { style: 'form', explode: metaOf(inner(field)).repeatable === true }),
      ...(example !== undefined && { example }),
    }
  })
}

const inner = (field: z.ZodType): z.ZodType => (field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field)

function requestBody(traits: Traits, body: z.ZodType, schemas: Components['schemas']): JsonSchema {
  const media = { schema: jsonSchema(body, 'input', schemas), example: exampleOf(body) }
  return {
    required: !traits.isBodyOptional,
    content: Object.fromEntries(traits.bodyTypes.map((type) => [type, media])),
  }
}

function answers(operation: Operation, traits: Traits, schemas: Components['schemas']): JsonSchema {
  const specs = Object.entries(operation.answers as Record<string, AnswerSpec>).map(
    ([status, { description, body, type = 'application/json' }]) => [
      status,
      {
        description,
        headers: headersOf(traits, Number(status)),
        ...(body && {
          content: { [type]: { schema: jsonSchema(body, 'output', schemas), example: exampleOf(body) } },
        }),
      },
    ],
  )
  if (traits.takesIfNoneMatch) {
    specs.push(['304', { description: 'You have it already.', headers: headersOf(traits, 304) }])
  }
  return Object.fromEntries(specs)
}

/** Error answers are shared: operations that can give the same codes for a status refer to the same response. */
function errors(operation: Operation, traits: Traits, { responses }: Components): JsonSchema {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of traits.errors) {
    const { status } = errorCatalogue[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const described = [...byStatus].map(([status, codes]) => {
    // Headers differ with these, so a response that has them cannot be shared with one that has not.
    const suffix = [
      operation.deprecation && 'deprecated',
      operation.stability,
      traits.isReplayable(status) && 'replayable',
    ].filter((word) => typeof word === 'string')
    const name = [...codes, ...suffix].map(pascal).join('')
    responses[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].title}`).join('\n\n'),
      headers: headersOf(traits, status),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code, status) }])),
        },
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          example: problemExample(codes[0] as ErrorCode, status),
        },
      },
    }
    return [String(status), { $ref: `#/components/responses/${name}` }]
  })
  return Object.fromEntries(described)
}

const errorExample = (code: ErrorCode, status: number) => ({
  code,
  message: errorCatalogue[code].title,
  status,
  requestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  docs: `http://localhost:8080/errors#${code}`,
  ...(code === 'validation_failed' && { errors: [{ in: 'body', path: '/name', message: 'is required' }] }),
})

const problemExample = (code: ErrorCode, status: number) => {
  const { docs, message, ...rest } = errorExample(code, status)
  return { type: docs, title: code.replaceAll('_', ' '), detail: message, ...rest }
}

const pascal = (code: string): string => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
