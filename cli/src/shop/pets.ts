import type { Pet, PetCounts, PetProfile, PetStore } from '@petstore/sdk'
import { byName, withCategoryId, withCategoryIds } from './category-name.ts'
import type { FieldOption } from './fields.ts'
import { parseInteger, parseIntegers, parseList } from './options.ts'
import type { Actions, Resource } from './resource.ts'

/** A key that may not read pets sees only what the call returned. */
type PetRow = Pet & Partial<Pick<PetProfile, 'category' | 'stock'>>

const fields: readonly FieldOption[] = [
  ['--name <name>', "the pet's name"],
  ['--category-id <id>', 'the id of its category', parseInteger],
  byName,
  ['--status <status>', 'its status'],
]
const filters: readonly FieldOption[] = [
  ['--status <status,…>', 'only with this status', parseList],
  ['--category-id <id,…>', 'only in these categories', parseIntegers],
  byName,
]

/** Adds category and stock, as a list shows them. */
const withProfile = async (pet: Pet, shop: PetStore): Promise<PetRow[]> => [
  await shop.pets.profile(pet.id).catch(() => pet),
]

export const pets: Resource<PetRow> = {
  name: 'pets',
  description: 'Manage the pets in the shop.',
  columns: [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
    ['CATEGORY', ({ category, categoryId }) => category?.name ?? categoryId],
    ['STATUS', ({ status }) => status],
    ['STOCK', ({ stock }) => stock],
  ],
  actions: [
    {
      name: 'list',
      description: 'List pets with their categories and stock.',
      operation: 'listProfiles',
      also: ['listCategories'],
      options: [
        ...filters,
        ['--ids <id,…>', 'only these', parseIntegers],
        ['--min-quantity <count>', 'only with at least this many in stock', parseInteger],
        ['--max-quantity <count>', 'only with at most this many in stock', parseInteger],
        ['--q <text>', 'only names that contain this'],
        ['--sort <order>', 'the order'],
      ],
      list: async (shop, { fields }) => shop.pets.profiles(await withCategoryIds(shop, fields)),
      examples: [
        ['petstore pets list --status available --q rex', 'search by name'],
        ['petstore pets list --category Dogs', 'all dogs'],
        ['petstore pets list --all --json | jq length', 'count them'],
      ],
    },
    {
      name: 'get',
      description: 'Show a pet with its category and stock.',
      operation: 'getPetProfile',
      ids: ['pet-id'],
      run: (shop, { id }) => shop.pets.profile(id),
      examples: [['petstore pets get 1', 'pet 1']],
    },
    {
      name: 'create',
      description: 'Create a pet with one unit in stock, or none if it is sold.',
      operation: 'createPet',
      also: ['listCategories', 'getPetProfile'],
      options: fields,
      run: async (shop, { fields }) => shop.pets.create(await withCategoryId(shop, fields)),
      rows: withProfile,
      examples: [['petstore pets create --name Rex --category Dogs', 'create a dog']],
    },
    {
      name: 'update',
      description: 'Change the given fields.',
      operation: 'updatePet',
      also: ['listCategories', 'getPetProfile'],
      ids: ['pet-id'],
      options: fields,
      run: async (shop, { id, fields, ifMatch }) =>
        shop.pets.update(id, await withCategoryId(shop, fields), { ifMatch }),
      rows: withProfile,
      examples: [
        ['petstore pets update 1 --status pending', 'take it off sale'],
        ['petstore pets update 1 --name Max --if-match "$(petstore pets get 1 --etag)"', 'unless it changed meanwhile'],
      ],
    },
    {
      name: 'delete',
      description: 'Delete a pet and its stock. Rejected while it has open orders.',
      operation: 'deletePet',
      also: ['getPetProfile'],
      ids: ['pet-id'],
      remove: (shop, { id, ifMatch }) => shop.pets.delete(id, { ifMatch }),
      done: 'Deleted.',
      loss: { verb: 'Delete', one: 'pet', several: 'pets', read: (shop, id) => shop.pets.profile(id) },
      examples: [
        ['petstore pets delete 8', 'delete pet 8'],
        ['petstore pets delete 8 9 --dry-run', 'show what would be deleted'],
      ],
    },
  ],
}

type CountRow = readonly [pets: string, count: number]

export const petCounts: Actions<CountRow> = {
  columns: [
    ['PETS', ([pets]) => pets],
    ['COUNT', ([, count]) => count],
  ],
  actions: [
    {
      name: 'counts',
      description: 'Count pets: all, by status and by category.',
      operation: 'countPets',
      also: ['listCategories'],
      options: filters,
      run: async (shop, { fields }) => shop.pets.counts(await withCategoryIds(shop, fields)),
      rows: ({ total, byStatus, byCategory }: PetCounts): CountRow[] => [
        ['all', total],
        ...Object.entries(byStatus),
        ...byCategory.map(({ categoryId, total }): CountRow => [`in category ${categoryId}`, total]),
      ],
      examples: [['petstore pets counts --status available', 'pets on sale']],
    },
  ],
}
