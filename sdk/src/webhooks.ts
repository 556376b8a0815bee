import { type List, listAt } from './list.ts'
import type {
  Delivery,
  ListDeliveriesQuery,
  ListWebhooksQuery,
  NewWebhook,
  ReplayEvents,
  Replayed,
  RotateWebhook,
  Webhook,
  WebhookPatch,
  WebhookWithSecret,
} from './names.ts'
import type { Tagged } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import { withSecret } from './secret.ts'
import type { Transport } from './transport.ts'

export class Webhooks {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  list(query: ListWebhooksQuery = {}, options?: CallOptions): List<Webhook> {
    return listAt(this.#service, '/webhooks', { query, options })
  }

  get(webhookId: number, options?: ReadOptions<Webhook>): Promise<Tagged<Webhook>> {
    return this.#service.send('get', '/webhooks/{webhookId}', { params: { webhookId }, options })
  }

  /** The response contains the secret, which is shown only once; a retry of this call gets it too. */
  create(webhook: NewWebhook, options?: PostOptions): Promise<Tagged<WebhookWithSecret>> {
    return withSecret('webhook', this.#service.send('post', '/webhooks', { body: webhook, options }))
  }

  /** Changes the given fields. */
  update(webhookId: number, changes: WebhookPatch, options?: ChangeOptions): Promise<Tagged<Webhook>> {
    return this.#service.send('patch', '/webhooks/{webhookId}', { params: { webhookId }, body: changes, options })
  }

  /** Creates a new secret; both sign until the grace period ends. */
  rotate(
    webhookId: number,
    rotation: RotateWebhook = {},
    options?: PostOptions & ChangeOptions,
  ): Promise<Tagged<WebhookWithSecret>> {
    return withSecret(
      'webhook',
      this.#service.send('post', '/webhooks/{webhookId}/rotate', {
        params: { webhookId },
        body: rotation,
        options,
      }),
    )
  }

  /** Sends an event of type `webhook.ping`. */
  ping(webhookId: number, options?: PostOptions): Promise<Delivery> {
    return this.#service.send('post', '/webhooks/{webhookId}/ping', { params: { webhookId }, options })
  }

  /** Its deliveries, newest first, with every attempt. */
  deliveries(webhookId: number, query: ListDeliveriesQuery = {}, options?: CallOptions): List<Delivery> {
    return listAt(this.#service, '/webhooks/{webhookId}/deliveries', { params: { webhookId }, query, options })
  }

  /** One delivery, with its payload and the headers of each attempt. */
  delivery(webhookId: number, deliveryId: number, options?: CallOptions): Promise<Delivery> {
    return this.#service.send('get', '/webhooks/{webhookId}/deliveries/{deliveryId}', {
      params: { webhookId, deliveryId },
      options,
    })
  }

  /** Sends the event of a delivery again. */
  redeliver(webhookId: number, deliveryId: number, options?: PostOptions): Promise<Delivery> {
    return this.#service.send('post', '/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', {
      params: { webhookId, deliveryId },
      options,
    })
  }

  /** Sends past events again; if the response has a `next`, there are more. */
  replay(webhookId: number, range: ReplayEvents, options?: PostOptions): Promise<Replayed> {
    return this.#service.send('post', '/webhooks/{webhookId}/replay', { params: { webhookId }, body: range, options })
  }

  delete(webhookId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/webhooks/{webhookId}', { params: { webhookId }, options })
  }
}
