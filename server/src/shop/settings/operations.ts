import { z } from 'zod'
import { defineOperation } from '../../platform/api/operation.ts'

const lowStockMax = z.int().min(0).max(1_000_000).meta({
  description: 'The count up to which stock is low: `inventory.low` is sent when stock falls to it. 2 unless changed.',
  example: 2,
})

const StoreSettings = z
  .object({ lowStockMax })
  .meta({ id: 'StoreSettings', description: 'The settings of the shop.', example: { lowStockMax: 2 } })

const StoreSettingsPatch = z
  .strictObject({ lowStockMax: lowStockMax.optional() })
  .meta({ id: 'StoreSettingsPatch', description: 'The settings to change.', example: { lowStockMax: 5 } })

const tag = 'Inventory'

export const getStoreSettings = defineOperation({
  id: 'getStoreSettings',
  method: 'get',
  path: '/store/settings',
  sdk: 'store.settings.get',
  tag,
  summary: 'Get the settings of the shop',
  description: 'Returns the settings of the shop: the count up to which stock is low.',
  scope: 'inventory:read',
  responses: { 200: { description: 'The settings.', body: StoreSettings } },
  etag: true,
})

export const updateStoreSettings = defineOperation({
  id: 'updateStoreSettings',
  method: 'patch',
  path: '/store/settings',
  sdk: 'store.settings.update',
  tag,
  summary: 'Change the settings of the shop',
  description:
    'Changes the settings of the shop by a merge patch (RFC 7396): absent fields do not change. The summary counts by the new values at once.',
  scope: 'inventory:write',
  body: StoreSettingsPatch,
  responses: { 200: { description: 'The updated settings.', body: StoreSettings } },
  etag: true,
})
