import type { NewOrder, Order } from '@petstore/sdk'
import { severalNumbers, wholeNumber, yesOrNo } from './options.ts'
import type { Resource } from './resource.ts'

const quantity = ['--quantity <count>', 'how many animals', wholeNumber] as const
const shipDate = ['--ship-date <time>', 'when it leaves, such as 2026-12-24T12:00:00Z'] as const

export const orders: Resource<Order> = {
  name: 'orders',
  description: 'Orders, which take their quantity from the stock.',
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
      description: 'List your orders, or everybody’s with a key that may see them.',
      options: [
        ['--pet-id <id,…>', 'only of these pets', severalNumbers],
        ['--complete <true|false>', 'only complete ones, or only open ones', yesOrNo],
        ['--placed-from <time>', 'placed then or later'],
        ['--placed-to <time>', 'placed before'],
        ['--ship-from <time>', 'shipped then or later'],
        ['--ship-to <time>', 'shipped before'],
        ['--sort <order>', 'id, -id, shipDate or -shipDate'],
      ],
      list: (shop, query) => shop.store.orders.list(query),
      examples: [['petstore orders list --complete false', 'what is still open']],
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
      options: [['--pet-id <id>', 'the pet', wholeNumber], quantity, shipDate, ['--complete', 'already complete']],
      run: (shop, fields) => shop.store.orders.place(fields as NewOrder),
      examples: [['petstore orders create --pet-id 17 --quantity 2', 'two of pet 17']],
    },
    {
      name: 'update',
      description: 'Change an open order, or complete it.',
      ids: ['order-id'],
      options: [quantity, shipDate, ['--complete', 'complete it; it changes no more']],
      run: (shop, fields, orderId = 0) => shop.store.orders.update(orderId, fields),
      examples: [['petstore orders update 5 --complete', 'it was handed over']],
    },
    {
      name: 'delete',
      description: 'Cancel an open order and return its stock.',
      ids: ['order-id'],
      remove: (shop, orderId = 0) => shop.store.orders.cancel(orderId),
      done: 'Cancelled; its stock is returned.',
      examples: [['petstore orders delete 5', 'cancel it']],
    },
  ],
}
