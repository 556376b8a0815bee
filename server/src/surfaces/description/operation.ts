import type { z } from 'zod'
import type { Operation, ResponseSpec } from '../../platform/api/operation.ts'
import { type Traits, traitsOf } from '../../platform/api/traits.ts'
import { errorResponses } from './errors.ts'
import { headerRefs } from './headers.ts'
import { type Components, exampleOf, type JsonSchema, jsonSchema } from './json-schema.ts'
import { parameters } from './parameters.ts'

const badgeColours = { beta: '#8a5a00', experimental: '#a3285e', deprecated: '#b3261e' }

/** Describes one operation. Shared shapes, parameters and responses are added to the components. */
export function describeOperation(
  operation: Operation,
  operations: readonly Operation[],
  components: Components,
): JsonSchema {
  const { id, sdk, tag, summary, scope, orScope, stability, deprecation, hideTryIt, body } = operation
  const traits = traitsOf(operation)
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: textOf(operation),
    ...(sdk !== undefined && { 'x-sdk-call': sdk }),
    ...(scope && { 'x-required-scope': scope }),
    ...(orScope && { 'x-alternative-scope': orScope }),
    ...(stability && { 'x-stability': stability.level }),
    ...(deprecation && { deprecated: true, 'x-deprecated-sunset': deprecation.sunset }),
    ...badges(operation),
    ...(hideTryIt && { 'x-hideTryItPanel': true }),
    parameters: parameters(operation, traits, components),
    ...(body && { requestBody: requestBody(traits, body, components) }),
    responses: { ...successes(operation, operations, traits, components), ...errorResponses(traits, components) },
  }
}

/** Repeats the extensions in text, because not every renderer shows them. */
function textOf({ description, scope, stability, deprecation }: Operation): string {
  return [
    description,
    scope ? `Required scope: \`${scope}\`.` : 'Any valid key may call it.',
    stability && `Stability: ${stability.level}. ${stability.reason}`,
    deprecation && `Sunset: ${deprecation.sunset}. After that day it returns 410.`,
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

function badges({ stability, deprecation }: Operation): JsonSchema {
  const names = [stability?.level, deprecation && ('deprecated' as const)].filter((name) => name !== undefined)
  return names.length === 0 ? {} : { 'x-badges': names.map((name) => ({ name, color: badgeColours[name] })) }
}

function requestBody(traits: Traits, body: z.ZodType, components: Components): JsonSchema {
  const media = mediaOf(body, 'input', components)
  return {
    required: !traits.isBodyOptional,
    content: Object.fromEntries(traits.bodyTypes.map((type) => [type, media])),
  }
}

function successes(
  operation: Operation,
  operations: readonly Operation[],
  traits: Traits,
  components: Components,
): JsonSchema {
  const specs = Object.entries(operation.responses as Record<string, ResponseSpec>).map(
    ([status, { description, body, type = 'application/json' }]) => [
      status,
      {
        // The operation's own text says what a call without a result does, so that all such calls share one response.
        description: body ? description : 'Done.',
        headers: headerRefs(traits.headersOf(Number(status))),
        ...(body && {
          content: { [type]: mediaOf(body, 'output', components) },
        }),
        ...(status === '201' && linksOf(operation, operations)),
      },
    ],
  )
  if (!traits.takesIfNoneMatch) return Object.fromEntries(specs)
  const notModified = { description: 'The resource has not changed.', headers: headerRefs(traits.headersOf(304)) }
  return { ...Object.fromEntries(specs), 304: notModified }
}

/** A named shape, or a list of one, has its example in the components; any other has it here. */
function mediaOf(body: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const schema = jsonSchema(body, io, components)
  const named = schema.type === 'array' ? (schema.items as JsonSchema) : schema
  return '$ref' in named ? { schema } : { schema, example: exampleOf(body) }
}

/** Links from a created resource to every non-deprecated operation that needs only its id. */
function linksOf({ path }: Operation, operations: readonly Operation[]): JsonSchema {
  const links = operations.flatMap((operation) => {
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
    const [name] = names
    const isOnResource = operation.path.startsWith(`${path}/{`) && names.length === 1 && name !== undefined
    return isOnResource && !operation.deprecation
      ? [[operation.id, { operationId: operation.id, parameters: { [name]: '$response.body#/id' } }]]
      : []
  })
  return links.length === 0 ? {} : { links: Object.fromEntries(links) }
}
