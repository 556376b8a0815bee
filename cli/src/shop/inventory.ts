import type { InventoryItem } from '@petstore/sdk'
import { several, wholeNumber } from './options.ts'
import type { Resource } from './resource.ts'

const quantity = ['--quantity <count>', 'the new count', wholeNumber] as const

export const inventory: Resource<InventoryItem> = {
  name: 'inventory',
  description: 'How many of each pet are in stock.',
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
        ['--status <status,…>', 'only of pets that are: available, pending, sold', several],
        ['--max-quantity <count>', 'only counts up to this one', wholeNumber],
        ['--sort <order>', 'petId or -petId'],
      ],
      list: (shop, query) => shop.store.inventory.list(query),
      examples: [['petstore inventory list --max-quantity 2', 'what is running low']],
    },
    {
      name: 'get',
      description: 'Show the stock count of a pet.',
      ids: ['pet-id'],
      run: (shop, _, petId = 0) => shop.store.inventory.get(petId),
      examples: [['petstore inventory get 1', 'of pet 1']],
    },
    {
      name: 'create',
      description: 'Begin to count a pet that has no entry. Refused where there is one.',
      ids: ['pet-id'],
      options: [quantity],
      run: (shop, fields, petId = 0) => shop.store.inventory.set(petId, quantityIn(fields), { onlyNew: true }),
      examples: [['petstore inventory create 16 --quantity 3', 'an entry where there is none']],
    },
    {
      name: 'update',
      description: 'Set the count, or change it by a difference.',
      ids: ['pet-id'],
      options: [
        quantity,
        ['--by <difference>', 'in place of the count: how many come in, or go out when negative', wholeNumber],
        ['--reason <text>', 'why, for the ledger; goes with --by'],
      ],
      run: (shop, fields, petId = 0) => {
        const { by, reason } = fields as { by?: number; reason?: string }
        if (by === undefined) return shop.store.inventory.set(petId, quantityIn(fields))
        return shop.store.inventory.adjust(petId, { delta: by, ...(reason !== undefined && { reason }) })
      },
      examples: [
        ['petstore inventory update 1 --quantity 5', 'counted: five'],
        ['petstore inventory update 1 --by=-1 --reason "Moved"', 'one less, whatever it was'],
      ],
    },
    {
      name: 'delete',
      description: 'Stop counting a pet, which then is out of stock.',
      ids: ['pet-id'],
      remove: (shop, petId = 0) => shop.store.inventory.delete(petId),
      done: 'Deleted.',
      examples: [['petstore inventory delete 16', 'no entry any more']],
    },
  ],
}

/** A count that was not given is not guessed: the service says what it wants. */
const quantityIn = (fields: object): number => (fields as { quantity: number }).quantity
