import { z } from 'zod'
import { pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { AnswerDateTime, AnswerId, BodyId, DateTime, integerParam, listParam, ordered, text } from '../api/shapes.ts'
import { batchMax, PetPath, PetStatus, StatusFilter } from '../pets/operations.ts'

export const stockMax = 1_000_000_000

export const InventoryItem = z
  .object({
    petId: AnswerId.meta({ description: 'ID of the animal this entry tracks.' }),
    quantity: z.int().min(0).meta({ description: 'Current stock count.' }),
    status: PetStatus,
  })
  .meta({
    id: 'InventoryItem',
    description: 'How many of a pet are in stock. The status is always the status of the pet.',
    example: { petId: 1, quantity: 3, status: 'available' },
  })

const quantity = z.int().min(0).max(stockMax).meta({ description: 'The new stock count.' })

export const InventoryUpdate = z
  .strictObject({ quantity })
  .meta({ id: 'InventoryUpdate', description: 'What is sent to set a stock count.', example: { quantity: 3 } })

const StockCount = z
  .strictObject({ petId: BodyId.meta({ description: 'ID of the animal that was counted.' }), quantity })
  .meta({ id: 'StockCount', description: 'A stock count in a batch of them.', example: { petId: 1, quantity: 3 } })

const StockCounts = z
  .array(StockCount)
  .min(1)
  .max(batchMax)
  .superRefine((counts, context) => {
    const places = new Map<number, number>()
    for (const [index, { petId }] of counts.entries()) {
      const first = places.get(petId)
      if (first === undefined) places.set(petId, index)
      else context.addIssue({ code: 'custom', path: [index, 'petId'], message: `is at /${first} already` })
    }
  })

const StockAdjustment = z
  .strictObject({
    delta: z.int().min(-stockMax).max(stockMax).meta({ description: 'How many come in, or go out when negative.' }),
    reason: text(200).optional().meta({ description: 'Why, for the ledger.' }),
  })
  .meta({
    id: 'StockAdjustment',
    description: 'A relative change of a stock count.',
    example: { delta: -1, reason: 'Moved to the other shop' },
  })

const StockCause = z.enum(['registered', 'set', 'adjusted', 'removed', 'ordered', 'order_changed', 'cancelled']).meta({
  id: 'StockCause',
  description: 'Why a stock count changed.',
  example: 'ordered',
})

export const StockMovement = z
  .object({
    id: AnswerId.meta({ description: 'Unique movement identifier.' }),
    delta: z.int().meta({ description: 'How many came in, or went out when negative.' }),
    cause: StockCause,
    orderId: AnswerId.optional().meta({ description: 'The order, if you may see it.' }),
    reason: z.string().optional().meta({ description: 'What was said with an adjustment.' }),
    at: AnswerDateTime.meta({ description: 'When it happened.' }),
  })
  .meta({
    id: 'StockMovement',
    description: 'A line of the ledger: one change of a stock count.',
    example: { id: 12, delta: -1, cause: 'ordered', orderId: 5, at: '2026-11-15T12:00:00.000Z' },
  })

const tag = 'Inventory'

export const listInventory = defineOperation({
  id: 'listInventory',
  method: 'get',
  path: '/store/inventory',
  tag,
  summary: 'List stock counts',
  description: 'The stock of all pets that have an entry, by pet id.',
  scope: 'inventory:read',
  query: z.strictObject({
    status: StatusFilter,
    maxQuantity: integerParam(0, stockMax)
      .optional()
      .meta({ description: 'Only counts up to this one: what is running low.', example: 5 }),
    sort: z
      .enum(['petId', '-petId'])
      .optional()
      .meta({ description: 'The order; `petId` unless given.', example: '-petId' }),
    ...pageParams,
  }),
  answers: { 200: { description: 'A page of stock counts.', body: z.array(InventoryItem) } },
})

export const setInventoryItems = defineOperation({
  id: 'setInventoryItems',
  method: 'patch',
  path: '/store/inventory',
  tag,
  summary: 'Set many stock counts',
  description: `Sets the counts of 1 to ${batchMax} pets, all of them or none, and answers in their order. A pet may be in it once. Costs as many requests as it has items, and is refused whole when they are not left; then it has cost one.`,
  scope: 'inventory:write',
  costs: 'items',
  stability: 'beta',
  body: StockCounts,
  answers: { 200: { description: 'The stock counts as they now are.', body: z.array(InventoryItem) } },
  errors: ['unknown_pet'],
})

export const getInventoryItem = defineOperation({
  id: 'getInventoryItem',
  method: 'get',
  path: '/store/inventory/{petId}',
  tag,
  summary: 'Get a stock count',
  description: 'How many of one pet are in stock.',
  scope: 'inventory:read',
  params: PetPath,
  answers: { 200: { description: 'The stock count.', body: InventoryItem } },
  errors: ['inventory_not_found'],
  etag: true,
})

export const setInventoryItem = defineOperation({
  id: 'setInventoryItem',
  method: 'put',
  path: '/store/inventory/{petId}',
  tag,
  summary: 'Set a stock count',
  description:
    'Sets the count, making the entry where there is none. The status of the pet follows, unless it is held.',
  scope: 'inventory:write',
  params: PetPath,
  body: InventoryUpdate,
  answers: {
    200: { description: 'The stock count as it now is.', body: InventoryItem },
    201: { description: 'The entry was made.', body: InventoryItem },
  },
  errors: ['pet_not_found'],
  etag: true,
})

export const deleteInventoryItem = defineOperation({
  id: 'deleteInventoryItem',
  method: 'delete',
  path: '/store/inventory/{petId}',
  tag,
  summary: 'Delete a stock entry',
  description: 'Stops tracking the pet, which then counts as out of stock.',
  scope: 'inventory:write',
  params: PetPath,
  exampleParams: { petId: 16 },
  answers: { 204: { description: 'The entry is gone.' } },
  errors: ['inventory_not_found'],
  etag: true,
})

export const adjustInventory = defineOperation({
  id: 'adjustInventory',
  method: 'post',
  path: '/store/inventory/{petId}/adjustments',
  tag,
  summary: 'Adjust a stock count',
  description:
    'Adds to the count or takes from it in one step, whatever it is at that moment. It never goes below zero.',
  scope: 'inventory:write',
  stability: 'beta',
  params: PetPath,
  body: StockAdjustment,
  answers: { 200: { description: 'The stock count as it now is.', body: InventoryItem } },
  errors: ['inventory_not_found', 'insufficient_stock'],
  etag: true,
})

export const listMovements = defineOperation({
  id: 'listMovements',
  method: 'get',
  path: '/store/inventory/{petId}/movements',
  tag,
  summary: 'Read the ledger of a pet',
  description:
    'Every change of the stock count with its cause, newest first; the deltas add up to the count. It stays after the entry or the pet was deleted. `orderId` shows on orders you may see: your own, or everyone’s with `orders:all`.',
  scope: 'inventory:read',
  stability: 'beta',
  params: PetPath,
  query: z
    .strictObject({
      cause: listParam(StockCause, { max: 100, form: 'repeated' })
        .optional()
        .meta({ description: 'Only changes with one of these causes; may be given several times.', example: ['set'] }),
      from: DateTime.optional().meta({
        description: 'Only changes from this time on.',
        example: '2026-11-15T00:00:00Z',
      }),
      to: DateTime.optional().meta({ description: 'Only changes before this time.', example: '2027-01-01T00:00:00Z' }),
      ...pageParams,
    })
    .superRefine(ordered('from', 'to')),
  answers: { 200: { description: 'A page of the ledger.', body: z.array(StockMovement) } },
  errors: ['pet_not_found'],
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
