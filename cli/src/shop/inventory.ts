import type { InventoryItem, StockMovement } from '@petstore/sdk'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { parseInteger, parseList } from './options.ts'
import type { Actions, Resource } from './resource.ts'

const quantity = ['--quantity <count>', 'the new count', parseInteger] as const

/** A change of the count, instead of a new count. */
interface Change {
  readonly delta: number
}
const toChange = (text: string): Change => ({ delta: parseInteger(text) })

export const inventory: Resource<InventoryItem> = {
  name: 'inventory',
  description: 'Manage the stock of pets.',
  columns: [
    ['PET', ({ petId }) => petId],
    ['QUANTITY', ({ quantity }) => quantity],
    ['STATUS', ({ status }) => status],
  ],
  actions: [
    {
      name: 'list',
      description: 'List stock counts.',
      operation: 'listInventory',
      options: [
        ['--status <status,…>', 'only pets with this status', parseList],
        ['--min-quantity <count>', 'only with at least this many in stock', parseInteger],
        ['--max-quantity <count>', 'only with at most this many in stock', parseInteger],
        ['--sort <order>', 'the order'],
      ],
      list: (shop, { fields }) => shop.store.inventory.list(fields),
      examples: [['petstore inventory list --max-quantity 2', 'low stock']],
    },
    {
      name: 'get',
      description: 'Show the stock count of a pet.',
      operation: 'getInventoryItem',
      ids: ['pet-id'],
      run: (shop, { id }) => shop.store.inventory.get(id),
      examples: [['petstore inventory get 1', 'stock of pet 1']],
    },
    {
      name: 'create',
      description: 'Create the stock record of a pet. Rejected if it has one.',
      operation: 'setInventoryItem',
      ids: ['pet-id'],
      options: [quantity],
      run: (shop, { id, fields, ifMatch }) => shop.store.inventory.set(id, fields, { onlyNew: true, ifMatch }),
      examples: [['petstore inventory create 16 --quantity 3', 'start counting pet 16']],
    },
    {
      name: 'update',
      description: 'Set the count, or adjust it.',
      operation: 'setInventoryItem',
      also: ['adjustInventory'],
      ids: ['pet-id'],
      options: [
        quantity,
        ['--delta <count>', 'add this many, or remove them if negative; instead of --quantity', toChange, 'quantity'],
        ['--reason <text>', 'reason for the stock history; only with --delta'],
      ],
      run: (shop, { id, fields, ifMatch }) => {
        const { quantity, reason } = fields as { quantity: number | Change; reason?: string }
        const isSet = typeof quantity === 'number'
        if (isSet && reason !== undefined) {
          throw new Failure('--reason can be given only with --delta.', exitCodes.misused)
        }
        if (isSet) return shop.store.inventory.set(id, { quantity }, { ifMatch })
        return shop.store.inventory.adjust(id, { ...quantity, ...(reason !== undefined && { reason }) }, { ifMatch })
      },
      examples: [
        ['petstore inventory update 1 --quantity 5', 'set it to five'],
        ['petstore inventory update 1 --delta=-1 --reason "Moved"', 'remove one'],
      ],
    },
    {
      name: 'delete',
      description: 'Delete the stock record of a pet, which is then out of stock.',
      operation: 'deleteInventoryItem',
      also: ['getInventoryItem'],
      ids: ['pet-id'],
      remove: (shop, { id, ifMatch }) => shop.store.inventory.delete(id, { ifMatch }),
      done: 'Deleted.',
      loss: {
        verb: 'Delete',
        one: 'the stock record of pet',
        several: 'stock records',
        read: (shop, id) => shop.store.inventory.get(id),
      },
      examples: [['petstore inventory delete 16', 'stop counting pet 16']],
    },
  ],
}

export const stockMovements: Actions<StockMovement> = {
  columns: [
    ['TIME', ({ time }) => time],
    ['DELTA', ({ delta }) => delta],
    ['CAUSE', ({ cause }) => cause],
    ['ORDER', ({ orderId }) => orderId],
    ['KEY', ({ keyId }) => keyId],
    ['REASON', ({ reason }) => reason],
  ],
  actions: [
    {
      name: 'movements',
      description: 'List every change of the stock of a pet, newest first.',
      operation: 'listMovements',
      ids: ['pet-id'],
      options: [
        ['--cause <cause,…>', 'only with this cause', parseList],
        ['--from <time>', 'at or after this time'],
        ['--to <time>', 'before this time'],
      ],
      list: (shop, { id, fields }) => shop.store.inventory.movements(id, fields),
      examples: [['petstore inventory movements 1 --cause ordered', 'what orders took']],
    },
  ],
}
