import type { Feature } from '../../platform/compose/feature.ts'
import { archivedRows } from '../orders/archive.ts'
import { stockEvents } from '../pets/operations.ts'
import { InventoryItem, inventoryErrors, inventoryOperations } from './operations.ts'
import { inventoryRoutes } from './routes.ts'

export const inventory: Feature = {
  name: 'inventory',
  operations: inventoryOperations,
  routes: inventoryRoutes,
  errors: inventoryErrors,
  scopes: {
    'inventory:read': 'Read the stock.',
    'inventory:write': 'Set and adjust the stock.',
  },
  events: [
    {
      resource: 'inventory',
      types: Object.values(stockEvents),
      audience: { scope: 'inventory:read', about: 'stock' },
      data: InventoryItem,
      example: { petId: 17, quantity: 4, status: 'available' },
      cause: {
        field: 'orderId',
        description: 'The order that caused it, if you have access to it.',
        othersScope: 'orders:all',
      },
    },
  ],
  tables: [
    // The triggers that count low stock read the settings.
    { name: 'inventory', key: ['pet_id'], refersTo: ['pets', 'shop_settings'] },
    {
      name: 'stock_movements',
      key: ['pet_id', 'cause', 'at', 'id'],
      isAppendOnly: true,
      archived: archivedRows.movements,
      times: { at: 'time' },
    },
  ],
  tags: [{ name: 'Inventory', description: 'The stock of each pet.', parent: 'Store', toolset: 'stock' }],
}
