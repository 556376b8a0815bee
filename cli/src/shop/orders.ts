import type { NewOrder, PlacedOrder } from '@petstore/sdk'
import { parseBoolean, parseInteger, parseIntegers } from './options.ts'
import type { Resource } from './resource.ts'

const quantity = ['--quantity <count>', 'number of animals', parseInteger] as const
const shipDate = ['--ship-date <time>', 'ship date, such as 2026-12-24T12:00:00Z'] as const

export const orders: Resource<PlacedOrder> = {
  name: 'orders',
  description: 'Place and manage orders.',
  columns: [
    ['ID', ({ id }) => id],
    ['PET', ({ petId }) => petId],
    ['QUANTITY', ({ quantity }) => quantity],
    ['COMPLETE', ({ complete }) => (complete ? 'yes' : 'no')],
    ['SHIP DATE', ({ shipDate }) => shipDate ?? undefined],
  ],
  actions: [
    {
      name: 'list',
      description: 'List your orders, or all orders if the key has the scope orders:all.',
      options: [
        ['--pet-id <id,…>', 'only for these pets', parseIntegers],
        ['--complete <true|false>', 'only complete orders, or only open ones', parseBoolean],
        ['--placed-from <time>', 'placed at or after this time'],
        ['--placed-to <time>', 'placed before this time'],
        ['--ship-from <time>', 'shipped at or after this time'],
        ['--ship-to <time>', 'shipped before this time'],
        ['--sort <order>', 'id, -id, shipDate or -shipDate'],
      ],
      list: (shop, query) => shop.store.orders.list(query),
      examples: [['petstore orders list --complete false', 'list open orders']],
    },
    {
      name: 'get',
      description: 'Show an order.',
      ids: ['order-id'],
      run: (shop, _, orderId = 0) => shop.store.orders.get(orderId),
      examples: [['petstore orders get 5', 'order 5']],
    },
    {
      name: 'create',
      description: 'Place an order.',
      options: [['--pet-id <id>', 'the pet', parseInteger], quantity, shipDate, ['--complete', 'already complete']],
      run: (shop, fields) => shop.store.orders.place(fields as NewOrder),
      examples: [['petstore orders create --pet-id 17 --quantity 2', 'order two of pet 17']],
    },
    {
      name: 'update',
      description: 'Change an open order, or complete it.',
      ids: ['order-id'],
      options: [quantity, shipDate, ['--complete', 'complete the order; it cannot be changed afterwards']],
      run: (shop, fields, orderId = 0) => shop.store.orders.update(orderId, fields),
      examples: [['petstore orders update 5 --complete', 'complete order 5']],
    },
    {
      name: 'delete',
      description: 'Cancel an open order and return its stock.',
      ids: ['order-id'],
      remove: (shop, orderId = 0) => shop.store.orders.cancel(orderId),
      done: 'Cancelled. The stock is returned.',
      examples: [['petstore orders delete 5', 'cancel order 5']],
    },
  ],
}
