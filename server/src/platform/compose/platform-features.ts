import { apiErrors } from '../api/errors.ts'
import type { Route } from '../api/operation.ts'
import { derived, withId } from '../db/table.ts'
import { createEventCatalogue, createEventShapes, type EventCatalogue } from '../events/catalogue.ts'
import type { EventFamily } from '../events/types.ts'
import { createFeedOperations, feedErrors } from '../feed/operations.ts'
import { feedRoutes } from '../feed/routes.ts'
import type { Streams } from '../feed/streams.ts'
import { createKeyOperations, keyErrors, keyEvents } from '../keys/operations.ts'
import { keyRoutes } from '../keys/routes.ts'
import { createKeyShapes, type Permissions } from '../keys/shapes.ts'
import type { UsageCounter } from '../usage/counter.ts'
import { createUsageOperations } from '../usage/operations.ts'
import { usageRoutes } from '../usage/routes.ts'
import type { WebhookPolicy } from '../webhooks/create.ts'
import { createWebhookOperations, webhookErrors, webhookEvents } from '../webhooks/operations.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { createWebhookShapes } from '../webhooks/shapes.ts'
import type { Feature } from './feature.ts'

/** What the routes of the platform work with. */
export interface RouteParts {
  readonly usage: UsageCounter
  readonly streams: Streams
  readonly webhookPolicy: WebhookPolicy
}

/** What the platform's features take from those of the shop. */
interface Collected {
  readonly permissions: Permissions
  readonly families: readonly EventFamily[]
  /** Filters that examples use; the first is for all events of a resource. */
  readonly exampleFilters: readonly string[]
}

/** The scopes of the platform's own operations. */
export const platformScopes = {
  'webhooks:manage': 'Manage webhooks created with this key.',
  'keys:manage':
    'Administrator: manage every key and give it any scope and any limits. See and disable the webhooks of every key.',
}

const parent = 'Platform'
export const platformGroup = { name: parent, description: 'Keys, limits, usage, events and webhooks.' }

const tables = [
  { name: 'settings', key: ['name'] },
  derived('schema_versions', { times: { applied_at: 'time' } }),
  { name: 'idempotent_responses', key: ['key_id', 'idempotency_key'] },
]

const keyTables = [
  withId('api_keys', { times: { created_at: 'time' } }),
  { name: 'api_key_secrets', key: ['hash'] },
  withId('bans'),
  derived('key_changes'),
  // Moving to another database must not give a key its daily quota twice.
  { name: 'rate_counters', key: ['subject', 'period', 'starts_at'] },
]

const usageTables = [
  { name: 'usage_hours', key: ['key_id', 'starts_at'] },
  { name: 'usage_days', key: ['key_id', 'starts_at'] },
  withId('usage_changes'),
]

const webhookTables = [
  withId('webhooks'),
  withId('webhook_deliveries'),
  withId('webhook_attempts'),
  { name: 'webhook_position', key: ['one'] },
]

/** Keys, usage, events and webhooks: functions of what the features of a shop declare. */
export function createPlatform({ permissions, families, exampleFilters }: Collected) {
  const [exampleFilter = '*'] = exampleFilters
  const keyShapes = createKeyShapes(permissions)
  const keys = createKeyOperations(keyShapes)
  const usage = createUsageOperations(keyShapes)
  const { ping, ...loggedOfWebhooks } = webhookEvents
  const own = { key: Object.values(keyEvents), webhook: Object.values(loggedOfWebhooks) }
  const logged = [...families.flatMap(({ types }) => types), ...own.key, ...own.webhook]
  const exampleType = logged.find((type) => type.startsWith(exampleFilter.replace('*', ''))) as string
  const eventShapes = createEventShapes([...logged, ping], { filter: exampleFilter, type: exampleType })
  const webhookShapes = createWebhookShapes(eventShapes, { events: exampleFilters, type: exampleType })
  const webhooks = createWebhookOperations(webhookShapes)
  const keyFamily: EventFamily = {
    resource: 'key',
    types: own.key,
    audience: { scope: 'keys:manage', about: 'keys' },
    data: keyShapes.ApiKey,
    example: keyShapes.example,
  }
  const webhookFamily: EventFamily = {
    resource: 'webhook',
    types: own.webhook,
    sentOnly: [ping],
    audience: {
      scope: 'webhooks:manage',
      about: 'its webhooks',
      others: { scope: 'keys:manage', about: 'those of all keys' },
    },
    data: webhookShapes.Webhook,
    example: webhookShapes.example,
  }
  const catalogue: EventCatalogue = createEventCatalogue([...families, keyFamily, webhookFamily])
  const feed = createFeedOperations(catalogue.families, eventShapes, exampleFilter)
  const features: Feature[] = [
    { name: 'api', errors: apiErrors, tables },
    {
      name: 'keys',
      operations: Object.values(keys),
      errors: keyErrors,
      events: [keyFamily],
      tables: keyTables,
      tags: [
        {
          name: 'API keys',
          description: 'Who may call the API, and with which permissions.',
          parent,
          toolset: 'keys',
        },
      ],
    },
    {
      name: 'usage',
      operations: Object.values(usage),
      tables: usageTables,
      tags: [{ name: 'Usage', description: 'Current limits and past usage.', parent }],
    },
    {
      name: 'feed',
      operations: Object.values(feed),
      errors: feedErrors,
      tables: [withId('events'), { name: 'event_log', key: ['one'] }],
      tags: [{ name: 'Events', description: 'Changes in the shop, as a list or a stream.', parent }],
    },
    {
      name: 'webhooks',
      operations: Object.values(webhooks),
      errors: webhookErrors,
      events: [webhookFamily],
      tables: webhookTables,
      tags: [{ name: 'Webhooks', description: 'Receivers of events, and their deliveries.', parent }],
    },
  ]
  return {
    features,
    catalogue,
    NewApiKey: keyShapes.NewApiKey,
    routes: (parts: RouteParts): Route[] => [
      ...keyRoutes(keys, permissions),
      ...usageRoutes(usage, parts.usage),
      ...feedRoutes(feed, catalogue, parts.streams),
      ...webhookRoutes(webhooks, catalogue, parts.webhookPolicy),
    ],
  }
}
