import type { Order, OrderChange } from '@petstore/sdk'
import { parseBoolean, parseInteger, parseOrNone } from './options.ts'
import type { Actions, Resource } from './resource.ts'

const quantity = ['--quantity <count>', 'number of units', parseInteger] as const
const shipDate = ['--ship-date <time>', 'ship date, such as 2026-12-24T12:00:00Z'] as const

export const orders: Resource<Order> = {
  name: 'orders',
  description: 'Place and manage orders.',
  columns: [
    ['ID', ({ id }) => id],
    ['PET', ({ petId }) => petId],
    ['QUANTITY', ({ quantity }) => quantity],
    ['COMPLETE', ({ complete }) => (complete ? 'yes' : 'no')],
    ['PLACED', ({ placedAt }) => placedAt],
    ['SHIP DATE', ({ shipDate }) => shipDate ?? undefined],
  ],
  actions: [
    {
      name: 'list',
      description: 'List your orders, or all orders if the key has the scope orders:all.',
      operation: 'listOrders',
      options: [
        ['--pet-id <id>', 'only for this pet', parseInteger],
        ['--complete <true|false>', 'only completed orders, or only open ones', parseBoolean],
        ['--placed-from <time>', 'placed at or after this time'],
        ['--placed-to <time>', 'placed before this time'],
        ['--ship-from <time>', 'shipped at or after this time'],
        ['--ship-to <time>', 'shipped before this time'],
        ['--sort <order>', 'the order'],
      ],
      list: (shop, { fields }) => shop.store.orders.list(fields),
      examples: [['petstore orders list --complete false', 'list open orders']],
    },
    {
      name: 'get',
      description: 'Show an order.',
      operation: 'getOrder',
      ids: ['order-id'],
      run: (shop, { id }) => shop.store.orders.get(id),
      examples: [['petstore orders get 5', 'order 5']],
    },
    {
      name: 'create',
      description: 'Place an order.',
      operation: 'placeOrder',
      options: [['--pet-id <id>', 'the pet', parseInteger], quantity, shipDate, ['--complete', 'already completed']],
      run: (shop, { fields }) => shop.store.orders.place(fields),
      examples: [['petstore orders create --pet-id 17 --quantity 2', 'order two of pet 17']],
    },
    {
      name: 'update',
      description: 'Change an open order, or complete it.',
      operation: 'updateOrder',
      ids: ['order-id'],
      options: [
        quantity,
        ['--ship-date <time>', 'ship date, such as 2026-12-24T12:00:00Z; none to remove it', parseOrNone],
        ['--complete', 'complete the order; it cannot be changed afterwards'],
      ],
      run: (shop, { id, fields, ifMatch }) => shop.store.orders.update(id, fields, { ifMatch }),
      examples: [['petstore orders update 5 --complete', 'complete order 5']],
    },
    {
      name: 'delete',
      description: 'Cancel an open order and return its stock.',
      operation: 'cancelOrder',
      also: ['getOrder'],
      ids: ['order-id'],
      remove: (shop, { id, ifMatch }) => shop.store.orders.cancel(id, { ifMatch }),
      done: 'Cancelled. The stock is returned.',
      loss: { verb: 'Cancel', one: 'order', several: 'orders', read: (shop, id) => shop.store.orders.get(id) },
      examples: [['petstore orders delete 5', 'cancel order 5']],
    },
  ],
}

const formatChanges = ({ changes }: OrderChange): string =>
  Object.entries(changes)
    .map(([field, { from, to }]) => (from === undefined ? `${field} ${to}` : `${field} ${from} → ${to ?? 'none'}`))
    .join(', ')

export const orderHistory: Actions<OrderChange> = {
  columns: [
    ['TIME', ({ time }) => time],
    ['WHAT', ({ kind }) => kind],
    ['KEY', ({ keyId }) => keyId],
    ['CHANGES', formatChanges],
  ],
  actions: [
    {
      name: 'history',
      description: 'List what happened to an order, even after it was cancelled.',
      operation: 'listOrderHistory',
      ids: ['order-id'],
      list: (shop, { id, fields }) => shop.store.orders.history(id, fields),
      examples: [['petstore orders history 5', 'what happened to order 5']],
    },
  ],
}
