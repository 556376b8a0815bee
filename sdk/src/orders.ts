import { type List, listAt } from './list.ts'
import type { ListOrderHistoryQuery, ListOrdersQuery, NewOrder, Order, OrderChange, OrderPatch } from './names.ts'
import type { Tagged } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { Transport } from './transport.ts'

export class Orders {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /**
   * List orders.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws PermissionDeniedError without the scope `orders:read`
   * @throws PetStoreError for the errors of every call
   */
  list(query: ListOrdersQuery = {}, options?: CallOptions): List<Order> {
    return listAt(this.#service, '/store/orders', { query, options })
  }

  /**
   * Get an order.
   *
   * @throws NotFoundError `order_not_found`
   * @throws PermissionDeniedError without the scope `orders:read`
   * @throws PetStoreError for the errors of every call
   */
  get(orderId: number, options?: ReadOptions<Order>): Promise<Tagged<Order>> {
    return this.#service.send('get', '/store/orders/{orderId}', { params: { orderId }, options })
  }

  /**
   * Takes the quantity from the pet's stock.
   *
   * @throws ConflictError `idempotency_in_progress`, `insufficient_stock`, `pet_not_available`
   * @throws InvalidRequestError `idempotency_key_reused`, `unknown_pet`
   * @throws PermissionDeniedError without the scope `orders:write`
   * @throws PetStoreError for the errors of every call
   */
  place(order: NewOrder, options?: PostOptions): Promise<Tagged<Order>> {
    return this.#service.send('post', '/store/orders', { body: order, options })
  }

  /**
   * Changes the given fields; `complete: true` completes the order.
   *
   * @throws NotFoundError `order_not_found`
   * @throws ConflictError `order_complete`, `insufficient_stock`, `stock_limit`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `orders:write`
   * @throws PetStoreError for the errors of every call
   */
  update(orderId: number, changes: OrderPatch, options?: ChangeOptions): Promise<Tagged<Order>> {
    return this.#service.send('patch', '/store/orders/{orderId}', { params: { orderId }, body: changes, options })
  }

  /**
   * Cancels an open order and returns its stock.
   *
   * @throws NotFoundError `order_not_found`
   * @throws ConflictError `order_complete`, `stock_limit`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `orders:write`
   * @throws PetStoreError for the errors of every call
   */
  cancel(orderId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/store/orders/{orderId}', { params: { orderId }, options })
  }

  /**
   * What happened to the order; kept after it is cancelled.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws NotFoundError `order_not_found`
   * @throws PermissionDeniedError without the scope `orders:read`
   * @throws PetStoreError for the errors of every call
   */
  history(orderId: number, query: ListOrderHistoryQuery = {}, options?: CallOptions): List<OrderChange> {
    return listAt(this.#service, '/store/orders/{orderId}/history', { params: { orderId }, query, options })
  }
}
