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

  /**
   * List webhooks.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws PermissionDeniedError without the scope `webhooks:manage` or `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  list(query: ListWebhooksQuery = {}, options?: CallOptions): List<Webhook> {
    return listAt(this.#service, '/webhooks', { query, options })
  }

  /**
   * Get a webhook.
   *
   * @throws NotFoundError `webhook_not_found`
   * @throws PermissionDeniedError without the scope `webhooks:manage` or `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  get(webhookId: number, options?: ReadOptions<Webhook>): Promise<Tagged<Webhook>> {
    return this.#service.send('get', '/webhooks/{webhookId}', { params: { webhookId }, options })
  }

  /**
   * The response contains the secret, which is shown only once; a retry of this call gets it too.
   *
   * @throws ConflictError `idempotency_in_progress`, `webhook_limit_reached`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `webhooks:manage`
   * @throws PetStoreError for the errors of every call
   */
  create(webhook: NewWebhook, options?: PostOptions): Promise<Tagged<WebhookWithSecret>> {
    return withSecret('webhook', this.#service.send('post', '/webhooks', { body: webhook, options }))
  }

  /**
   * Changes the given fields.
   *
   * @throws NotFoundError `webhook_not_found`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `webhooks:manage` or `keys:manage`
   * @throws PetStoreError for the errors of every call
   */
  update(webhookId: number, changes: WebhookPatch, options?: ChangeOptions): Promise<Tagged<Webhook>> {
    return this.#service.send('patch', '/webhooks/{webhookId}', { params: { webhookId }, body: changes, options })
  }

  /**
   * Creates a new secret; both sign until the grace period ends.
   *
   * @throws NotFoundError `webhook_not_found`
   * @throws ConflictError `idempotency_in_progress`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `webhooks:manage`
   * @throws PetStoreError for the errors of every call
   */
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

  /**
   * Sends an event of type `webhook.ping`.
   *
   * @throws NotFoundError `webhook_not_found`
   * @throws ConflictError `idempotency_in_progress`, `webhook_inactive`, `webhook_backlog_full`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `webhooks:manage`
   * @throws PetStoreError for the errors of every call
   */
  ping(webhookId: number, options?: PostOptions & ChangeOptions): Promise<Tagged<Delivery>> {
    return this.#service.send('post', '/webhooks/{webhookId}/ping', { params: { webhookId }, options })
  }

  /**
   * Its deliveries, newest first, with every attempt.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws NotFoundError `webhook_not_found`
   * @throws PermissionDeniedError without the scope `webhooks:manage`
   * @throws PetStoreError for the errors of every call
   */
  deliveries(webhookId: number, query: ListDeliveriesQuery = {}, options?: CallOptions): List<Delivery> {
    return listAt(this.#service, '/webhooks/{webhookId}/deliveries', { params: { webhookId }, query, options })
  }

  /**
   * One delivery, with its payload and the headers of each attempt.
   *
   * @throws NotFoundError `webhook_not_found`, `delivery_not_found`
   * @throws PermissionDeniedError without the scope `webhooks:manage`
   * @throws PetStoreError for the errors of every call
   */
  delivery(webhookId: number, deliveryId: number, options?: ReadOptions<Delivery>): Promise<Tagged<Delivery>> {
    return this.#service.send('get', '/webhooks/{webhookId}/deliveries/{deliveryId}', {
      params: { webhookId, deliveryId },
      options,
    })
  }

  /**
   * Sends the event of a delivery again.
   *
   * @throws NotFoundError `webhook_not_found`, `delivery_not_found`
   * @throws ConflictError `idempotency_in_progress`, `webhook_inactive`, `webhook_backlog_full`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `webhooks:manage`
   * @throws PetStoreError for the errors of every call
   */
  redeliver(webhookId: number, deliveryId: number, options?: PostOptions & ChangeOptions): Promise<Tagged<Delivery>> {
    return this.#service.send('post', '/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', {
      params: { webhookId, deliveryId },
      options,
    })
  }

  /**
   * Sends past events again; if the response has a `next`, there are more.
   *
   * @throws NotFoundError `webhook_not_found`
   * @throws ConflictError `idempotency_in_progress`, `webhook_inactive`, `webhook_backlog_full`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `webhooks:manage`
   * @throws PetStoreError for the errors of every call
   */
  replay(webhookId: number, range: ReplayEvents, options?: PostOptions & ChangeOptions): Promise<Replayed> {
    return this.#service.send('post', '/webhooks/{webhookId}/replay', { params: { webhookId }, body: range, options })
  }

  /**
   * Delete a webhook.
   *
   * @throws NotFoundError `webhook_not_found`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `webhooks:manage`
   * @throws PetStoreError for the errors of every call
   */
  delete(webhookId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/webhooks/{webhookId}', { params: { webhookId }, options })
  }
}
