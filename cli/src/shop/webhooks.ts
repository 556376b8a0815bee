import type { Delivery, NewWebhook, ReplayEvents, Replayed, Webhook, WebhookWithSecret } from '@petstore/sdk'
import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { parseBoolean, parseInteger, parseList } from './options.ts'
import { addActions, addResource, type Resource } from './resource.ts'

const formatSecret = ({ id, url, secret }: WebhookWithSecret): string =>
  `Webhook ${id} sends to ${url}.

The secret, shown only once:
  ${secret}
`

const ids = ['webhook-id']
const url = ['--to <url>', 'the URL to send events to'] as const
const events = ['--events <pattern,…>', 'event types, such as order.placed, order.* or *', parseList] as const
const description = ['--description <text>', 'a short description'] as const

/** `--to` is the webhook's URL, because --url is the service's. */
const toBody = (fields: object): object => {
  const { to, ...rest } = fields as { to?: string }
  return { ...rest, ...(to !== undefined && { url: to }) }
}

const webhooks: Resource<Webhook | WebhookWithSecret> = {
  name: 'webhooks',
  description: 'Manage webhooks and their deliveries.',
  columns: [
    ['ID', ({ id }) => id],
    ['ACTIVE', ({ active, disabledReason }) => (active ? 'yes' : `no${disabledReason ? ` (${disabledReason})` : ''}`)],
    ['EVENTS', ({ events }) => events.join(' ')],
    ['URL', ({ url }) => url],
  ],
  actions: [
    {
      name: 'list',
      description: 'List the webhooks of your key.',
      list: (shop, query) => shop.webhooks.list(query),
      examples: [['petstore webhooks list', 'list your webhooks']],
    },
    {
      name: 'get',
      description: 'Show a webhook.',
      ids,
      run: (shop, _, webhookId = 0) => shop.webhooks.get(webhookId),
      examples: [['petstore webhooks get 1', 'show webhook 1']],
    },
    {
      name: 'create',
      description: 'Create a webhook. Its signing secret is shown once.',
      options: [url, events, description],
      run: (shop, fields) => shop.webhooks.create(toBody(fields) as NewWebhook),
      format: (webhook) => formatSecret(webhook as WebhookWithSecret),
      examples: [
        ['petstore webhooks create --to https://shop.example/hooks --events "order.*"', 'all events of orders'],
      ],
    },
    {
      name: 'update',
      description: 'Change the given fields.',
      ids,
      options: [url, events, description, ['--active <true|false>', 'whether events are sent', parseBoolean]],
      run: (shop, fields, webhookId = 0) => shop.webhooks.update(webhookId, toBody(fields)),
      examples: [['petstore webhooks update 1 --active false', 'pause deliveries']],
    },
    {
      name: 'rotate',
      description: 'Create a new secret for a webhook. Both sign until the grace period ends.',
      ids,
      options: [['--grace-seconds <seconds>', 'length of the grace period; one day unless given', parseInteger]],
      run: (shop, fields, webhookId = 0) => shop.webhooks.rotate(webhookId, fields),
      format: (webhook) => formatSecret(webhook as WebhookWithSecret),
      examples: [['petstore webhooks rotate 1', 'rotate with a grace period of one day']],
    },
    {
      name: 'delete',
      description: 'Delete a webhook and its delivery log.',
      ids,
      remove: (shop, webhookId = 0) => shop.webhooks.delete(webhookId),
      done: 'Deleted.',
      examples: [['petstore webhooks delete 1', 'delete webhook 1']],
    },
  ],
}

const deliveries: Pick<Resource<Delivery>, 'columns' | 'actions'> = {
  columns: [
    ['ID', ({ id }) => id],
    ['EVENT', ({ type }) => type],
    ['STATE', ({ state }) => state],
    ['ATTEMPTS', ({ attempts }) => attempts.length],
    ['LAST', ({ attempts }) => attempts.at(-1)?.error ?? attempts.at(-1)?.status ?? undefined],
    ['NEXT ATTEMPT', ({ nextAttemptAt }) => nextAttemptAt],
    ['CREATED', ({ createdAt }) => createdAt],
  ],
  actions: [
    {
      name: 'ping',
      description: 'Send a test event.',
      ids,
      run: (shop, _, webhookId = 0) => shop.webhooks.ping(webhookId),
      examples: [['petstore webhooks ping 1', 'test the receiver']],
    },
    {
      name: 'deliveries',
      description: 'List the deliveries of a webhook, newest first.',
      ids,
      options: [
        ['--state <state>', 'only this state: pending, delivered or failed'],
        ['--type <type>', 'only events of this type'],
      ],
      list: (shop, query, webhookId = 0) => shop.webhooks.deliveries(webhookId, query),
      examples: [['petstore webhooks deliveries 1 --state failed', 'list failed deliveries']],
    },
    {
      name: 'redeliver',
      description: 'Send the event of a delivery again.',
      ids: ['webhook-id', 'delivery-id'],
      run: (shop, _, webhookId = 0, deliveryId = 0) => shop.webhooks.redeliver(webhookId, deliveryId),
      examples: [['petstore webhooks redeliver 1 17', 'repeat delivery 17']],
    },
  ],
}

const replays: Pick<Resource<Replayed>, 'columns' | 'actions'> = {
  columns: [
    ['SCHEDULED', ({ scheduled }) => scheduled],
    ['NEXT', ({ next }) => next],
  ],
  actions: [
    {
      name: 'replay',
      description: 'Send past events again. If NEXT is not empty, there are more: pass it as --after.',
      ids,
      options: [
        ['--from <time>', 'events at or after this time'],
        ['--to <time>', 'events before this time; now unless given'],
        events,
        ['--after <next>', 'continue after the previous answer'],
      ],
      run: (shop, fields, webhookId = 0) => shop.webhooks.replay(webhookId, fields as ReplayEvents),
      examples: [['petstore webhooks replay 1 --from 2026-11-15T00:00:00Z', 'after the receiver was down']],
    },
  ],
}

export function addWebhooks(program: Command, terminal: Terminal): void {
  const group = addResource(program, terminal, webhooks)
  addActions(group, terminal, deliveries)
  addActions(group, terminal, replays)
}
