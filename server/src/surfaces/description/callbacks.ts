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
  '2XX': { description: 'The event was received.' },
  '410': { description: 'The receiver wants no more events: the webhook is deactivated.' },
  default: { description: 'The event was not received. It is sent again later.' },
}

/** What is sent to the URL `to` of a request, by event type. The variants come from the schema of the union. */
export function callbacksOf(union: string, to: string, tag: string, { schemas, parameters }: Components): JsonSchema {
  Object.assign(parameters, sentHeaders)
  const { discriminator } = schemas[union] as unknown as EventSchema
  return Object.fromEntries(
    Object.entries(discriminator.mapping).map(([type, $ref]) => {
      const variant = schemas[$ref.split('/').at(-1) as string] as { readonly example?: object }
      const post = {
        operationId: `on${type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
        tags: [tag],
        summary: `The event ${type}`,
        description: `Sent to a webhook that subscribes to \`${type}\`, signed according to Standard Webhooks 1.0.`,
        security: [],
        parameters: Object.keys(sentHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref }, example: { ...variant.example, type } } },
        },
        responses,
      }
      return [type, { [to]: { post } }]
    }),
  )
}
