import type { InventoryItem } from '@petstore/sdk'
import { parseInteger, parseList } from './options.ts'
import type { Resource } from './resource.ts'

const quantity = ['--quantity <count>', 'the new count', parseInteger] as const

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
      options: [
        ['--status <status,…>', 'only pets with this status: available, pending, sold', parseList],
        ['--max-quantity <count>', 'only counts up to this', parseInteger],
        ['--sort <order>', 'petId or -petId'],
      ],
      list: (shop, query) => shop.store.inventory.list(query),
      examples: [['petstore inventory list --max-quantity 2', 'low stock']],
    },
    {
      name: 'get',
      description: 'Show the stock count of a pet.',
      ids: ['pet-id'],
      run: (shop, _, petId = 0) => shop.store.inventory.get(petId),
      examples: [['petstore inventory get 1', 'stock of pet 1']],
    },
    {
      name: 'create',
      description: 'Create the stock record of a pet. Refused if it has one.',
      ids: ['pet-id'],
      options: [quantity],
      run: (shop, fields, petId = 0) => shop.store.inventory.set(petId, quantityOf(fields), { onlyNew: true }),
      examples: [['petstore inventory create 16 --quantity 3', 'start counting pet 16']],
    },
    {
      name: 'update',
      description: 'Set the count, or adjust it.',
      ids: ['pet-id'],
      options: [
        quantity,
        ['--delta <count>', 'add this many, or remove them if negative; instead of --quantity', parseInteger],
        ['--reason <text>', 'reason for the ledger; only with --delta'],
      ],
      run: (shop, fields, petId = 0) => {
        const { delta, reason } = fields as { delta?: number; reason?: string }
        if (delta === undefined) return shop.store.inventory.set(petId, quantityOf(fields))
        return shop.store.inventory.adjust(petId, { delta, ...(reason !== undefined && { reason }) })
      },
      examples: [
        ['petstore inventory update 1 --quantity 5', 'set it to five'],
        ['petstore inventory update 1 --delta=-1 --reason "Moved"', 'remove one'],
      ],
    },
    {
      name: 'delete',
      description: 'Delete the stock record of a pet, which is then out of stock.',
      ids: ['pet-id'],
      remove: (shop, petId = 0) => shop.store.inventory.delete(petId),
      done: 'Deleted.',
      examples: [['petstore inventory delete 16', 'stop counting pet 16']],
    },
  ],
}

/** A missing count is sent as it is: the service explains what it needs. */
const quantityOf = (fields: object): number => (fields as { quantity: number }).quantity
