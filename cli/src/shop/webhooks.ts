import type { Delivery, Replayed, Webhook } from '@petstore/sdk'
import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { addListen } from './listen.ts'
import { parseBoolean, parseCount, parseInteger, parseList } from './options.ts'
import { type Actions, addActions, addResource, type Resource } from './resource.ts'
import { formatSecret } from './show.ts'

const ids = ['webhook-id']
// --url is the service's.
const url = ['--to <url>', 'the URL to send events to', undefined, 'url'] as const
const events = ['--events <pattern,…>', 'event types, such as order.placed, order.* or *', parseList] as const
const description = ['--description <text>', 'a short description'] as const
const active = ['--active <true|false>', 'whether events are sent', parseBoolean] as const

const webhooks: Resource<Webhook> = {
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
      operation: 'listWebhooks',
      options: [['--key-id <id>', 'only those of this key; requires keys:manage unless it is yours', parseInteger]],
      list: (shop, { fields }) => shop.webhooks.list(fields),
      examples: [['petstore webhooks list', 'list your webhooks']],
    },
    {
      name: 'get',
      description: 'Show a webhook.',
      operation: 'getWebhook',
      ids,
      run: (shop, { id }) => shop.webhooks.get(id),
      examples: [['petstore webhooks get 1', 'show webhook 1']],
    },
    {
      name: 'create',
      description: 'Create a webhook. Its signing secret is shown once.',
      operation: 'createWebhook',
      options: [url, events, description, active],
      run: (shop, { fields }) => shop.webhooks.create(fields),
      footer: formatSecret,
      examples: [
        ['petstore webhooks create --to https://shop.example/hooks --events "order.*"', 'all events of orders'],
      ],
    },
    {
      name: 'update',
      description: 'Change the given fields.',
      operation: 'updateWebhook',
      ids,
      options: [url, events, description, active],
      run: (shop, { id, fields, ifMatch }) => shop.webhooks.update(id, fields, { ifMatch }),
      examples: [['petstore webhooks update 1 --active false', 'pause deliveries']],
    },
    {
      name: 'rotate',
      description: 'Create a new secret for a webhook. Both sign until the grace period ends.',
      operation: 'rotateWebhook',
      ids,
      options: [['--grace-seconds <seconds>', 'length of the grace period; one day unless given', parseInteger]],
      run: (shop, { id, fields, ifMatch }) => shop.webhooks.rotate(id, fields, { ifMatch }),
      footer: formatSecret,
      examples: [['petstore webhooks rotate 1', 'rotate with a grace period of one day']],
    },
    {
      name: 'delete',
      description: 'Delete a webhook and its delivery log.',
      operation: 'deleteWebhook',
      also: ['getWebhook'],
      ids,
      remove: (shop, { id, ifMatch }) => shop.webhooks.delete(id, { ifMatch }),
      done: 'Deleted.',
      loss: { verb: 'Delete', one: 'webhook', several: 'webhooks', read: (shop, id) => shop.webhooks.get(id) },
      examples: [['petstore webhooks delete 1', 'delete webhook 1']],
    },
  ],
}

const deliveries: Actions<Delivery> = {
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
      operation: 'pingWebhook',
      ids,
      run: (shop, { id, ifMatch }) => shop.webhooks.ping(id, { ifMatch }),
      examples: [['petstore webhooks ping 1', 'test the receiver']],
    },
    {
      name: 'deliveries',
      description: 'List the deliveries of a webhook, newest first.',
      operation: 'listDeliveries',
      ids,
      options: [
        ['--state <state,…>', 'only in these states', parseList],
        ['--type <type,…>', 'only events of these types', parseList],
      ],
      list: (shop, { id, fields }) => shop.webhooks.deliveries(id, fields),
      examples: [['petstore webhooks deliveries 1 --state failed', 'list failed deliveries']],
    },
    {
      name: 'delivery',
      description: 'Show a delivery with its payload and the headers of each attempt.',
      operation: 'getDelivery',
      ids: ['webhook-id', 'delivery-id'],
      run: (shop, { ids: [webhookId = 0, deliveryId = 0] }) => shop.webhooks.delivery(webhookId, deliveryId),
      examples: [['petstore webhooks delivery 1 17 --json', 'what was sent']],
    },
    {
      name: 'redeliver',
      description: 'Send the event of a delivery again.',
      operation: 'redeliverEvent',
      ids: ['webhook-id', 'delivery-id'],
      run: (shop, { ids: [webhookId = 0, deliveryId = 0], ifMatch }) =>
        shop.webhooks.redeliver(webhookId, deliveryId, { ifMatch }),
      examples: [['petstore webhooks redeliver 1 17', 'repeat delivery 17']],
    },
  ],
}

const replays: Actions<Replayed> = {
  columns: [
    ['SCHEDULED', ({ scheduled }) => scheduled],
    ['NEXT', ({ next }) => next],
  ],
  actions: [
    {
      name: 'replay',
      description: 'Send past events again. If NEXT is not empty, there are more: pass it as --after.',
      operation: 'replayEvents',
      ids,
      options: [
        ['--from <time>', 'events at or after this time'],
        ['--to <time>', 'events before this time; now unless given'],
        events,
        ['--after <next>', 'continue after the previous response'],
        ['--limit <count>', 'the maximum number of events to send', parseCount],
      ],
      run: (shop, { id, fields, ifMatch }) => shop.webhooks.replay(id, fields, { ifMatch }),
      examples: [['petstore webhooks replay 1 --from 2026-11-15T00:00:00Z', 'after the receiver was down']],
    },
  ],
}

export function addWebhooks(program: Command, terminal: Terminal): void {
  const group = addResource(program, terminal, webhooks)
  addActions(group, terminal, deliveries)
  addActions(group, terminal, replays)
  addListen(group, terminal)
}
