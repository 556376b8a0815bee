import { type List, listAt } from './list.ts'
import type { ListOrderHistoryQuery, ListOrdersQuery, NewOrder, Order, OrderEvent, OrderPatch } from './names.ts'
import type { Tagged } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { Transport } from './transport.ts'

export class Orders {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  list(query: ListOrdersQuery = {}, options?: CallOptions): List<Order> {
    return listAt(this.#service, '/store/orders', { query, options })
  }

  get(orderId: number, options?: ReadOptions<Order>): Promise<Tagged<Order>> {
    return this.#service.send('get', '/store/orders/{orderId}', { params: { orderId }, options })
  }

  /** Takes the quantity from the pet's stock. */
  place(order: NewOrder, options?: PostOptions): Promise<Tagged<Order>> {
    return this.#service.send('post', '/store/orders', { body: order, options })
  }

  /** Changes the given fields; `complete: true` completes the order. */
  update(orderId: number, changes: OrderPatch, options?: ChangeOptions): Promise<Tagged<Order>> {
    return this.#service.send('patch', '/store/orders/{orderId}', { params: { orderId }, body: changes, options })
  }

  /** Cancels an open order and returns its stock. */
  cancel(orderId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/store/orders/{orderId}', { params: { orderId }, options })
  }

  /** What happened to the order; kept after it is cancelled. */
  history(orderId: number, query: ListOrderHistoryQuery = {}, options?: CallOptions): List<OrderEvent> {
    return listAt(this.#service, '/store/orders/{orderId}/history', { params: { orderId }, query, options })
  }
}
