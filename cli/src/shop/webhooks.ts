import type { Delivery, NewWebhook, ReplayEvents, Replayed, Webhook, WebhookWithSecret } from '@petstore/sdk'
import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { several, wholeNumber, yesOrNo } from './options.ts'
import { addActions, addResource, type Resource } from './resource.ts'

const showSecret = ({ id, url, secret }: WebhookWithSecret): string =>
  `Webhook ${id} sends to ${url}.

Its secret, shown only this once:
  ${secret}
`

const ids = ['webhook-id']
const url = ['--to <url>', 'where events are sent'] as const
const events = ['--events <pattern,…>', 'types of events, or order.* for all of a kind, or *', several] as const
const description = ['--description <text>', 'what it is for'] as const

/** The address is `--to` here, because --url is the service's. */
const asBody = (fields: object): object => {
  const { to, ...rest } = fields as { to?: string }
  return { ...rest, ...(to !== undefined && { url: to }) }
}

const webhooks: Resource<Webhook | WebhookWithSecret> = {
  name: 'webhooks',
  description: 'Where events are sent, and what became of them.',
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
      examples: [['petstore webhooks list', 'yours']],
    },
    {
      name: 'get',
      description: 'Show a webhook.',
      ids,
      run: (shop, _, webhookId = 0) => shop.webhooks.get(webhookId),
      examples: [['petstore webhooks get 1', 'one of them']],
    },
    {
      name: 'create',
      description: 'Have events sent to an address, signed with a secret that is shown once.',
      options: [url, events, description],
      run: (shop, fields) => shop.webhooks.create(asBody(fields) as NewWebhook),
      show: (webhook) => showSecret(webhook as WebhookWithSecret),
      examples: [['petstore webhooks create --to https://shop.example/hooks --events "order.*"', 'all of orders']],
    },
    {
      name: 'update',
      description: 'Change what is given; the rest stays.',
      ids,
      options: [url, events, description, ['--active <true|false>', 'whether events are sent', yesOrNo]],
      run: (shop, fields, webhookId = 0) => shop.webhooks.update(webhookId, asBody(fields)),
      examples: [['petstore webhooks update 1 --active false', 'a pause']],
    },
    {
      name: 'rotate-secret',
      description: 'Give a webhook a new secret. The old one signs too for a while.',
      ids,
      options: [['--grace-seconds <seconds>', 'how long; a day unless given', wholeNumber]],
      run: (shop, fields, webhookId = 0) => shop.webhooks.rotateSecret(webhookId, fields),
      show: (webhook) => showSecret(webhook as WebhookWithSecret),
      examples: [['petstore webhooks rotate-secret 1', 'both are good for a day']],
    },
    {
      name: 'delete',
      description: 'Delete a webhook with its log.',
      ids,
      remove: (shop, webhookId = 0) => shop.webhooks.delete(webhookId),
      done: 'Deleted.',
      examples: [['petstore webhooks delete 1', 'nothing is sent to it any more']],
    },
  ],
}

const deliveries: Pick<Resource<Delivery>, 'columns' | 'actions'> = {
  columns: [
    ['ID', ({ id }) => id],
    ['EVENT', ({ eventType }) => eventType],
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
      examples: [['petstore webhooks ping 1', 'is anybody there?']],
    },
    {
      name: 'deliveries',
      description: 'List what was sent to a webhook, newest first.',
      ids,
      options: [
        ['--state <state>', 'only pending, delivered or failed ones'],
        ['--event-type <type>', 'only events of this type'],
      ],
      list: (shop, query, webhookId = 0) => shop.webhooks.deliveries(webhookId, query),
      examples: [['petstore webhooks deliveries 1 --state failed', 'what did not come through']],
    },
    {
      name: 'redeliver',
      description: 'Send an event once more.',
      ids: ['webhook-id', 'delivery-id'],
      run: (shop, _, webhookId = 0, deliveryId = 0) => shop.webhooks.redeliver(webhookId, deliveryId),
      examples: [['petstore webhooks redeliver 1 17', 'delivery 17']],
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
      description: 'Send the events of a time again. Where NEXT is not empty there are more: give it as --after.',
      ids,
      options: [
        ['--from <time>', 'events from then on'],
        ['--to <time>', 'events before; up to now unless given'],
        events,
        ['--after <next>', 'go on where the answer before ended'],
      ],
      run: (shop, fields, webhookId = 0) => shop.webhooks.replay(webhookId, fields as ReplayEvents),
      examples: [['petstore webhooks replay 1 --from 2026-11-15T00:00:00Z', 'the receiver was down']],
    },
  ],
}

export function addWebhooks(program: Command, terminal: Terminal): void {
  const group = addResource(program, terminal, webhooks)
  addActions(group, terminal, deliveries)
  addActions(group, terminal, replays)
}
