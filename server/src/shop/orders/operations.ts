import { z } from 'zod'
import { defineErrors } from '../../platform/api/errors.ts'
import { pageOf, pageParams } from '../../platform/api/list-page.ts'
import { defineOperation } from '../../platform/api/operation.ts'
import {
  BodyId,
  BooleanParam,
  DateTime,
  IdParam,
  OriginKeyId,
  ordered,
  plainInteger,
  ResponseDateTime,
  ResponseId,
} from '../../platform/api/shapes.ts'
import { defineEvents } from '../../platform/events/types.ts'
import { petErrors } from '../pets/operations.ts'

export const orderErrors = defineErrors({
  order_not_found: {
    status: 404,
    title: 'There is no order with this id that you may see.',
    advice:
      'List your orders to find its id. Orders belong to the key that placed them; only keys with `orders:all` see those of others.',
  },
  pet_not_available: {
    status: 409,
    title: 'The pet is pending or sold and cannot be ordered.',
    advice:
      'Order another pet. This one can be ordered when its status is `available` again: when stock comes in or, if it is on hold, when someone sets its status.',
  },
  order_complete: {
    status: 409,
    title: 'The order is completed.',
    advice: 'Completed orders cannot be changed or cancelled: place a new order instead.',
  },
})

export const orderEvents = defineEvents('order', ['placed', 'updated', 'completed', 'cancelled'])

const quantity = plainInteger(1, 10_000).meta({ description: 'Number of units ordered.', example: 2 })
const shipDate = DateTime.meta({ description: 'Expected or actual ship date.', example: '2027-01-31T12:00:00.000Z' })
const complete = z.boolean().meta({ description: 'Whether the order has been fulfilled.', example: false })

const orderFields = {
  id: ResponseId.meta({ description: 'Unique order identifier.' }),
  petId: ResponseId.meta({ description: 'ID of the animal in this order.' }),
  quantity,
  shipDate: ResponseDateTime.optional().meta({ description: 'Expected or actual ship date.' }),
  complete,
}
const example = { id: 5, petId: 18, quantity: 1, shipDate: '2027-01-31T12:00:00.000Z', complete: false }

const Order = z
  .object(orderFields)
  .partial()
  .meta({ id: 'Order', description: 'An order for one pet. No field is required; see PlacedOrder.', example })

export const PlacedOrder = z
  .object({
    ...orderFields,
    placedAt: ResponseDateTime.meta({ description: 'When the order was placed.' }),
    keyId: ResponseId.optional().meta({
      description: 'The key that placed it; only with `keys:manage`, not in events.',
    }),
  })
  .meta({
    id: 'PlacedOrder',
    extends: Order,
    description: 'An order as the service returns it.',
    example: { ...example, placedAt: '2026-11-15T12:00:00.000Z' },
  })

const NewOrder = z
  .strictObject({
    petId: BodyId.meta({ description: 'ID of the pet to order.' }),
    quantity: quantity.optional(),
    shipDate: shipDate.optional(),
    complete: complete.optional(),
  })
  .meta({
    id: 'NewOrder',
    description: 'The fields to place an order. `quantity` is 1 by default.',
    example: { petId: 17, quantity: 2, shipDate: '2027-01-31T13:00:00+01:00' },
  })

const OrderPatch = z
  .strictObject({
    quantity: quantity.optional(),
    shipDate: shipDate.nullable().optional(),
    complete: complete.optional(),
  })
  .meta({
    id: 'OrderPatch',
    description: 'The fields to change. `null` clears the ship date.',
    example: { complete: true },
  })

const OrderChangeKind = z.enum(['placed', 'updated', 'completed', 'cancelled']).meta({
  id: 'OrderChangeKind',
  grows: true,
  description: 'What happened to an order.',
  example: 'placed',
})

const change = (value: z.ZodType) => z.object({ from: value.optional(), to: value.optional() }).optional()

const OrderChange = z
  .object({
    id: ResponseId.meta({ description: 'Unique event identifier.' }),
    kind: OrderChangeKind,
    time: ResponseDateTime.meta({ description: 'When it happened.' }),
    changes: z
      .object({
        petId: change(ResponseId),
        quantity: change(quantity),
        shipDate: change(ResponseDateTime),
        complete: change(z.boolean()),
      })
      .meta({
        description:
          'The fields that changed. `from` is absent if there was no value before, `to` if there is none after.',
      }),
    keyId: OriginKeyId,
  })
  .meta({
    id: 'OrderChange',
    description: 'A change of an order.',
    example: { id: 9, kind: 'updated', time: '2026-11-15T12:00:00.000Z', changes: { quantity: { from: 1, to: 2 } } },
  })

const OrderPath = z.object({
  orderId: IdParam.meta({ description: 'The id of an order.', example: 5, parameter: 'OrderId' }),
})

const tag = 'Orders'

/** Callers that see who placed an order can use its tag like all other callers. */
const etag = { derived: ['keyId'] }

export const listOrders = defineOperation({
  id: 'listOrders',
  method: 'get',
  path: '/store/orders',
  sdk: 'store.orders.list',
  tag,
  summary: 'List orders',
  description:
    'Lists the orders placed with your key or, with the scope `orders:all`, all orders. When sorted by ship date, in either direction, orders without one come last. With `placedFrom` or `placedTo`, `id` sorts by the time of placing and then by id, unless only open orders are listed.',
  scope: 'orders:read',
  hideTryIt: true,
  query: z
    .strictObject({
      petId: IdParam.optional().meta({ description: 'Only orders for this pet.', example: 18 }),
      complete: BooleanParam.optional().meta({ description: 'Only complete or only open orders.', example: false }),
      placedFrom: DateTime.optional().meta({
        description: 'Only orders placed from this time on.',
        example: '2026-11-15T00:00:00Z',
      }),
      placedTo: DateTime.optional().meta({
        description: 'Only orders placed before this time.',
        example: '2027-01-01T00:00:00Z',
      }),
      shipFrom: DateTime.optional().meta({
        description: 'Only orders with a ship date from this time on.',
        example: '2027-01-01T00:00:00Z',
      }),
      shipTo: DateTime.optional().meta({
        description: 'Only orders with a ship date before this time.',
        example: '2027-02-01T00:00:00Z',
      }),
      sort: z
        .enum(['id', '-id', 'shipDate', '-shipDate'], {
          message: 'must be one of id, -id, shipDate, -shipDate; ids are in the order of placing',
        })
        .optional()
        .meta({ description: 'The sort order; `id`, the order of placing, by default.', example: '-id' }),
      ...pageParams,
    })
    .superRefine(ordered('placedFrom', 'placedTo'))
    .superRefine(ordered('shipFrom', 'shipTo')),
  responses: { 200: { description: 'A page of orders.', body: pageOf(PlacedOrder) } },
})

export const placeOrder = defineOperation({
  id: 'placeOrder',
  method: 'post',
  path: '/store/orders',
  sdk: 'store.orders.place',
  tag,
  summary: 'Place an order',
  description:
    'Places an order and takes its quantity from stock atomically, so nothing is oversold. The pet must be `available`. Send an `Idempotency-Key` to retry safely.',
  scope: 'orders:write',
  body: NewOrder,
  responses: { 201: { description: 'The new order.', body: PlacedOrder } },
  errors: [petErrors.insufficient_stock, orderErrors.pet_not_available, petErrors.unknown_pet],
  etag,
})

export const getOrder = defineOperation({
  id: 'getOrder',
  method: 'get',
  path: '/store/orders/{orderId}',
  sdk: 'store.orders.get',
  tag,
  summary: 'Get an order',
  description: 'Returns one of your orders. Another client’s order is reported as not found.',
  scope: 'orders:read',
  params: OrderPath,
  responses: { 200: { description: 'The order.', body: PlacedOrder } },
  errors: [orderErrors.order_not_found],
  etag,
})

export const updateOrder = defineOperation({
  id: 'updateOrder',
  method: 'patch',
  path: '/store/orders/{orderId}',
  sdk: 'store.orders.update',
  tag,
  summary: 'Change or complete an open order',
  description:
    'Changes or completes an open order by a merge patch (RFC 7396). If the quantity changes, the difference is taken from stock or returned to it. Setting `complete` to true is final: completed orders cannot be changed or cancelled.',
  scope: 'orders:write',
  params: OrderPath,
  body: OrderPatch,
  responses: { 200: { description: 'The order.', body: PlacedOrder } },
  errors: [
    orderErrors.order_not_found,
    orderErrors.order_complete,
    petErrors.insufficient_stock,
    petErrors.stock_limit,
  ],
  etag,
})

export const cancelOrder = defineOperation({
  id: 'cancelOrder',
  method: 'delete',
  path: '/store/orders/{orderId}',
  sdk: 'store.orders.cancel',
  tag,
  summary: 'Cancel an open order',
  description: 'Cancels an open order and returns its quantity to stock, exactly once.',
  scope: 'orders:write',
  params: OrderPath,
  exampleParams: { orderId: 7 },
  responses: { 204: { description: 'The order was cancelled and its quantity returned to stock.' } },
  errors: [orderErrors.order_not_found, orderErrors.order_complete, petErrors.stock_limit],
  etag,
})

export const listOrderHistory = defineOperation({
  id: 'listOrderHistory',
  method: 'get',
  path: '/store/orders/{orderId}/history',
  sdk: 'store.orders.history',
  tag,
  summary: 'Get the history of an order',
  description:
    'Returns the history of one of your orders, newest first: placed, updated, completed, cancelled. It is retained after the order is cancelled. A change without effect is not listed.',
  scope: 'orders:read',
  params: OrderPath,
  query: z.strictObject(pageParams),
  responses: { 200: { description: 'A page of the history.', body: pageOf(OrderChange) } },
  errors: [orderErrors.order_not_found],
})

export const orderOperations = [listOrders, placeOrder, getOrder, updateOrder, cancelOrder, listOrderHistory]
