import { z } from 'zod'
import { apiErrors, defineErrors } from '../../platform/api/errors.ts'
import { pageOf, pageParams } from '../../platform/api/list-page.ts'
import { defineOperation } from '../../platform/api/operation.ts'
import {
  BodyId,
  DateTime,
  listParam,
  OriginKeyId,
  ordered,
  plainInteger,
  ResponseDateTime,
  ResponseId,
  text,
} from '../../platform/api/shapes.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { formatNumber } from '../../platform/lib/text.ts'
import { batchMax, petErrors } from '../pets/operations.ts'
import { PetPath, QuantityFilters, StatusFilter, statusField, stockMax } from '../pets/shapes.ts'

export const inventoryErrors = defineErrors({
  inventory_not_found: {
    status: 404,
    title: 'The pet has no inventory item.',
    advice:
      'List the pets to check that its id is right. If the pet exists, create an item with PUT /store/inventory/{petId}.',
  },
})

export const InventoryItem = z
  .object({
    petId: ResponseId.meta({ description: 'ID of the animal this entry tracks.' }),
    quantity: plainInteger(0, stockMax).meta({ description: 'Current stock count.' }),
    status: statusField,
  })
  .meta({
    id: 'InventoryItem',
    description: 'The stock of a pet.',
    example: { petId: 1, quantity: 3, status: 'available' },
  })

const quantity = plainInteger(0, stockMax).meta({ description: 'The new stock count.' })

const InventoryUpdate = z
  .strictObject({ quantity })
  .meta({ id: 'InventoryUpdate', description: 'The new stock count.', example: { quantity: 3 } })

const StockCount = z
  .strictObject({ petId: BodyId.meta({ description: 'ID of the pet.' }), quantity })
  .meta({ id: 'StockCount', description: 'A stock count in a batch.', example: { petId: 1, quantity: 3 } })

const StockCounts = z
  .array(StockCount)
  .min(1)
  .max(batchMax)
  .superRefine((counts, context) => {
    const firstIndexes = new Map<Id, number>()
    for (const [index, { petId }] of counts.entries()) {
      const first = firstIndexes.get(petId)
      if (first === undefined) firstIndexes.set(petId, index)
      else context.addIssue({ code: 'custom', path: [index, 'petId'], message: `is already at /${first}` })
    }
  })

const StockAdjustment = z
  .strictObject({
    delta: z.int().min(-stockMax).max(stockMax).meta({ description: 'How many to add; negative to remove.' }),
    reason: text(200).optional().meta({ description: 'The reason, for the stock history.' }),
  })
  .meta({
    id: 'StockAdjustment',
    description: 'A relative change of a stock count.',
    example: { delta: -1, reason: 'Moved to the other shop' },
  })

const StockCause = z
  .enum(['registered', 'set', 'adjusted', 'removed', 'ordered', 'order_changed', 'cancelled', 'archived'])
  .meta({
    id: 'StockCause',
    grows: true,
    description: 'Why a stock count changed.',
    example: 'ordered',
  })

const StockMovement = z
  .object({
    id: ResponseId.meta({ description: 'Unique movement identifier.' }),
    delta: z.int().min(-stockMax).max(stockMax).meta({ description: 'How many were added; negative if removed.' }),
    cause: StockCause,
    orderId: ResponseId.optional().meta({ description: 'The order, if you have access to it.' }),
    reason: z.string().optional().meta({ description: 'The reason given with an adjustment.' }),
    time: ResponseDateTime.meta({ description: 'When it happened.' }),
    keyId: OriginKeyId,
  })
  .meta({
    id: 'StockMovement',
    description: 'An entry of the stock history: one change of a stock count.',
    example: { id: 12, delta: -1, cause: 'ordered', orderId: 5, time: '2026-11-15T12:00:00.000Z' },
  })

const tag = 'Inventory'

export const listInventory = defineOperation({
  id: 'listInventory',
  method: 'get',
  path: '/store/inventory',
  sdk: 'store.inventory.list',
  tag,
  summary: 'List stock counts',
  description: 'Lists the stock counts of all pets that have an inventory item, ordered by pet id.',
  scope: 'inventory:read',
  query: z.strictObject({
    status: StatusFilter,
    maxQuantity: QuantityFilters.maxQuantity,
    sort: z
      .enum(['petId', '-petId'])
      .optional()
      .meta({ description: 'The sort order; `petId` by default.', example: '-petId' }),
    ...pageParams,
    minQuantity: QuantityFilters.minQuantity,
  }),
  responses: { 200: { description: 'A page of stock counts.', body: pageOf(InventoryItem) } },
})

export const setInventoryItems = defineOperation({
  id: 'setInventoryItems',
  method: 'patch',
  path: '/store/inventory',
  sdk: 'store.inventory.setMany',
  tag,
  summary: 'Set many stock counts',
  description: `Sets the stock counts of 1 to ${batchMax} pets, all or none, and returns them in the same order. A pet may appear only once. Each item counts as one request; a batch that exceeds the quota is rejected and counts as one.`,
  scope: 'inventory:write',
  costs: 'items',
  body: StockCounts,
  responses: { 200: { description: 'The updated stock counts.', body: z.array(InventoryItem).max(batchMax) } },
  // It takes no If-Match, because a list has no ETag, but does not ignore one either.
  errors: [apiErrors.precondition_failed, petErrors.unknown_pet],
})

export const getInventoryItem = defineOperation({
  id: 'getInventoryItem',
  method: 'get',
  path: '/store/inventory/{petId}',
  sdk: 'store.inventory.get',
  tag,
  summary: 'Get a stock count',
  description: 'Returns the stock count of one pet.',
  scope: 'inventory:read',
  params: PetPath,
  responses: { 200: { description: 'The stock count.', body: InventoryItem } },
  errors: [inventoryErrors.inventory_not_found],
  etag: true,
})

export const setInventoryItem = defineOperation({
  id: 'setInventoryItem',
  method: 'put',
  path: '/store/inventory/{petId}',
  sdk: 'store.inventory.set',
  tag,
  coveredBy: 'setInventoryItems',
  summary: 'Set a stock count',
  description:
    'Sets the stock count of a pet, and creates the inventory item if there is none. The status of the pet follows, unless it is held.',
  scope: 'inventory:write',
  params: PetPath,
  body: InventoryUpdate,
  responses: {
    200: { description: 'The stock count.', body: InventoryItem },
    201: { description: 'The inventory item was created.', body: InventoryItem },
  },
  errors: [petErrors.pet_not_found],
  etag: true,
})

export const deleteInventoryItem = defineOperation({
  id: 'deleteInventoryItem',
  method: 'delete',
  path: '/store/inventory/{petId}',
  sdk: 'store.inventory.delete',
  tag,
  summary: 'Delete an inventory item',
  description: 'Deletes the inventory item of a pet, which is then out of stock.',
  scope: 'inventory:write',
  params: PetPath,
  exampleParams: { petId: 16 },
  responses: { 204: { description: 'The inventory item was deleted.' } },
  errors: [inventoryErrors.inventory_not_found],
  etag: true,
})

export const adjustInventory = defineOperation({
  id: 'adjustInventory',
  method: 'post',
  path: '/store/inventory/{petId}/adjustments',
  sdk: 'store.inventory.adjust',
  tag,
  summary: 'Adjust a stock count',
  description: `Adds to the stock of a pet, or takes from it, atomically. The count never goes below zero or above ${formatNumber(stockMax)}.`,
  scope: 'inventory:write',
  params: PetPath,
  body: StockAdjustment,
  responses: { 200: { description: 'The stock count.', body: InventoryItem } },
  errors: [inventoryErrors.inventory_not_found, petErrors.insufficient_stock, petErrors.stock_limit],
  etag: true,
})

export const listMovements = defineOperation({
  id: 'listMovements',
  method: 'get',
  path: '/store/inventory/{petId}/movements',
  sdk: 'store.inventory.movements',
  tag,
  summary: 'Get the stock history of a pet',
  description:
    'Returns the stock history of a pet, newest first: every change of the count with its cause. The deltas add up to the count. The history is retained after the inventory item or the pet is deleted. `orderId` is present for orders you have access to: your own, or all with `orders:all`.',
  scope: 'inventory:read',
  params: PetPath,
  query: z
    .strictObject({
      cause: listParam(StockCause, 100)
        .optional()
        .meta({
          description: 'Only changes with one of these causes.',
          example: ['set'],
        }),
      from: DateTime.optional().meta({
        description: 'Only changes from this time on.',
        example: '2026-11-15T00:00:00Z',
      }),
      to: DateTime.optional().meta({ description: 'Only changes before this time.', example: '2027-01-01T00:00:00Z' }),
      ...pageParams,
    })
    .superRefine(ordered('from', 'to')),
  responses: { 200: { description: 'A page of the stock history.', body: pageOf(StockMovement) } },
  errors: [petErrors.pet_not_found],
})

export const inventoryOperations = [
  listInventory,
  setInventoryItems,
  getInventoryItem,
  setInventoryItem,
  deleteInventoryItem,
  adjustInventory,
  listMovements,
]
