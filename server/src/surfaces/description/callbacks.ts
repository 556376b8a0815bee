import type { Components, JsonSchema } from './json-schema.ts'

interface EventSchema {
  readonly discriminator: { readonly mapping: Readonly<Record<string, string>> }
}

const header = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', maxLength: 1_024 },
  example,
})

/** The headers of Standard Webhooks 1.0. */
const sentHeaders: Readonly<Record<string, JsonSchema>> = {
  SentId: header('webhook-id', 'The id of the event, the same for every attempt.', 'evt_1_2s'),
  SentAt: header('webhook-timestamp', 'When this attempt was made, in Unix seconds.', '1794744060'),
  SentSignature: header(
    'webhook-signature',
    'The signatures of id, timestamp and body: one with each valid secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
}

const responses = {
  '2XX': { description: 'Received.' },
  '410': { description: 'The webhook is deactivated.' },
  default: { description: 'The delivery is retried.' },
}

/** What is sent to the URL `to` of a request, by event type. Types with one schema share a callback. */
export function callbacksOf(union: string, to: string, tag: string, components: Components): JsonSchema {
  const { schemas, parameters, callbacks } = components
  Object.assign(parameters, sentHeaders)
  const { discriminator } = schemas[union] as unknown as EventSchema
  return Object.fromEntries(
    Object.entries(discriminator.mapping).map(([type, schema]) => {
      const name = schema.slice(schema.lastIndexOf('/') + 1)
      const post = {
        operationId: `on${name}`,
        tags: [tag],
        summary: 'An event',
        description: 'Signed as in Standard Webhooks 1.0.',
        security: [],
        parameters: Object.keys(sentHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: schema } } },
        },
        responses,
      }
      callbacks[name] ??= { [to]: { post } }
      return [type, { $ref: `#/components/callbacks/${name}` }]
    }),
  )
}
