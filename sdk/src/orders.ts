import { type List, listAt } from './list.ts'
import type { Query } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { NewOrder, Order, OrderEvent, OrderPatch } from './schemas.ts'
import type { Transport } from './transport.ts'

export const orders = (service: Transport) => ({
  list: (query: Query<'get', '/store/orders'> = {}, options?: CallOptions): List<Order> =>
    listAt(service, '/store/orders', { query, options }) as List<Order>,

  get: (orderId: number, options?: ReadOptions<Order>): Promise<Order> =>
    service.send('get', '/store/orders/{orderId}', { params: { orderId }, options }) as Promise<Order>,

  /** Takes the quantity from the stock of the pet. */
  place: (order: NewOrder, options?: PostOptions): Promise<Order> =>
    service.send('post', '/store/orders', { body: order, options }) as Promise<Order>,

  /** Changes the fields that are given; `complete: true` completes the order. */
  update: (orderId: number, changes: OrderPatch, options?: ChangeOptions): Promise<Order> =>
    service.send('patch', '/store/orders/{orderId}', { params: { orderId }, body: changes, options }) as Promise<Order>,

  /** Cancels an open order and returns its stock. */
  cancel: (orderId: number, options?: ChangeOptions): Promise<void> =>
    service.send('delete', '/store/orders/{orderId}', { params: { orderId }, options }),

  /** What happened to it, also after a cancel. */
  history: (
    orderId: number,
    query: Query<'get', '/store/orders/{orderId}/history'> = {},
    options?: CallOptions,
  ): List<OrderEvent> => listAt(service, '/store/orders/{orderId}/history', { params: { orderId }, query, options }),
})
