import type { StoreSettings } from '@petstore/sdk'
import { parseInteger } from './options.ts'
import type { Resource } from './resource.ts'

export const settings: Resource<StoreSettings> = {
  name: 'settings',
  description: 'Show and change the settings of the shop.',
  columns: [['LOW STOCK', ({ lowStockMax }) => `${lowStockMax} or fewer`]],
  actions: [
    {
      name: 'get',
      description: 'Show the settings.',
      operation: 'getStoreSettings',
      run: (shop) => shop.store.settings.get(),
      examples: [['petstore settings get', 'which stock is low']],
    },
    {
      name: 'update',
      description: 'Change the settings.',
      operation: 'updateStoreSettings',
      options: [['--low-stock-max <count>', 'the count up to which stock is low', parseInteger]],
      run: (shop, { fields, ifMatch }) => shop.store.settings.update(fields, { ifMatch }),
      examples: [['petstore settings update --low-stock-max 5', 'stock of five or fewer is low']],
    },
  ],
}
