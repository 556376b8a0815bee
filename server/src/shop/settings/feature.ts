import type { Feature } from '../../platform/compose/feature.ts'
import { getStoreSettings, updateStoreSettings } from './operations.ts'
import { settingsRoutes } from './routes.ts'

export const settings: Feature = {
  name: 'settings',
  operations: [getStoreSettings, updateStoreSettings],
  routes: settingsRoutes,
  tables: [{ name: 'shop_settings', key: ['one'] }],
}
