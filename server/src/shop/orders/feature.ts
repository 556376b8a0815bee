import type { Feature } from '../../platform/compose/feature.ts'
import { withId } from '../../platform/db/table.ts'
import { archivedRows } from './archive.ts'
import { orderErrors, orderEvents, orderOperations, PlacedOrder } from './operations.ts'
import { orderRoutes } from './routes.ts'

export const orders: Feature = {
  name: 'orders',
  operations: orderOperations,
  routes: orderRoutes,
  errors: orderErrors,
  scopes: {
    'orders:read': 'Read orders placed with this key.',
    'orders:write': 'Place orders, and change and cancel orders placed with this key.',
    'orders:all': "Extend orders:read and orders:write to everyone's orders.",
  },
  events: [
    {
      resource: 'order',
      types: Object.values(orderEvents),
      audience: {
        scope: 'orders:read',
        about: 'the orders it placed',
        others: { scope: 'orders:all', about: 'all orders' },
      },
      data: PlacedOrder,
      example: PlacedOrder.meta()?.example,
    },
  ],
  tables: [
    withId('orders', { times: { created_at: 'time' } }),
    {
      name: 'order_history',
      key: ['order_id', 'id'],
      isAppendOnly: true,
      archived: archivedRows.history,
      times: { at: 'time' },
    },
    withId('order_archives', { times: { at: 'time' } }),
  ],
  tags: [{ name: 'Orders', description: 'Orders for pets. They belong to the key that placed them.', parent: 'Store' }],
}
