import type { NewPet, Pet, PetProfile } from '@petstore/sdk'
import { parseInteger, parseIntegers, parseList } from './options.ts'
import type { Resource } from './resource.ts'

/** Only `list` and `get` return the category and stock. */
type PetRow = Pet & Partial<Pick<PetProfile, 'category' | 'stock'>>

const name = ['--name <name>', "the animal's name"] as const
const category = ['--category-id <id>', 'the id of its category', parseInteger] as const
const status = ['--status <status>', 'available, pending or sold'] as const

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
      options: [
        ['--status <status,…>', 'only with this status: available, pending, sold', parseList],
        ['--category-id <id,…>', 'only in these categories', parseIntegers],
        ['--ids <id,…>', 'only these', parseIntegers],
        ['--q <text>', 'only names that contain this'],
        ['--sort <order>', 'id, -id, name or -name'],
      ],
      list: (shop, query) => shop.pets.profiles(query),
      examples: [
        ['petstore pets list --status available --q rex', 'search by name'],
        ['petstore pets list --all --json | jq length', 'count them'],
      ],
    },
    {
      name: 'get',
      description: 'Show a pet with its category and stock.',
      ids: ['pet-id'],
      run: (shop, _, petId = 0) => shop.pets.profile(petId),
      examples: [['petstore pets get 1', 'pet 1']],
    },
    {
      name: 'create',
      description: 'Register a pet. It has a stock of one, or none if it is sold.',
      options: [name, category, status],
      run: (shop, fields) => shop.pets.create(fields as NewPet),
      examples: [['petstore pets create --name Rex --category-id 1', 'register a dog']],
    },
    {
      name: 'update',
      description: 'Change the given fields.',
      ids: ['pet-id'],
      options: [name, category, status],
      run: (shop, fields, petId = 0) => shop.pets.update(petId, fields),
      examples: [['petstore pets update 1 --status pending', 'take it off sale']],
    },
    {
      name: 'delete',
      description: 'Delete a pet and its stock. Refused while it has open orders.',
      ids: ['pet-id'],
      remove: (shop, petId = 0) => shop.pets.delete(petId),
      done: 'Deleted.',
      examples: [['petstore pets delete 8', 'delete pet 8']],
    },
  ],
}
