import type { NewPet, Pet, PetProfile } from '@petstore/sdk'
import { several, severalNumbers, wholeNumber } from './options.ts'
import type { Resource } from './resource.ts'

/** Lists and answers to a change are pets; one that is asked for comes with its category and stock. */
type Shown = Pet & Partial<Pick<PetProfile, 'category' | 'stock'>>

const name = ['--name <name>', "the animal's name"] as const
const category = ['--category-id <id>', 'the category it belongs to', wholeNumber] as const
const status = ['--status <status>', 'available, pending or sold'] as const

export const pets: Resource<Shown> = {
  name: 'pets',
  description: 'The catalogue: animals in the shop.',
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
        ['--status <status,…>', 'only those: available, pending, sold', several],
        ['--category-id <id,…>', 'only of these categories', severalNumbers],
        ['--ids <id,…>', 'only these', severalNumbers],
        ['--q <text>', 'only with this in the name'],
        ['--sort <order>', 'id, -id, name or -name'],
      ],
      list: (shop, query) => shop.pets.profiles(query),
      examples: [
        ['petstore pets list --status available --q rex', 'find one'],
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
      description: 'Register a pet: one animal in stock, none when it arrives sold.',
      options: [name, category, status],
      run: (shop, fields) => shop.pets.create(fields as NewPet),
      examples: [['petstore pets create --name Rex --category-id 1', 'a new dog']],
    },
    {
      name: 'update',
      description: 'Change what is given; the rest stays.',
      ids: ['pet-id'],
      options: [name, category, status],
      run: (shop, fields, petId = 0) => shop.pets.update(petId, fields),
      examples: [['petstore pets update 1 --status pending', 'hold it: nobody can order it']],
    },
    {
      name: 'delete',
      description: 'Delete a pet and its stock. Refused while it has open orders.',
      ids: ['pet-id'],
      remove: (shop, petId = 0) => shop.pets.delete(petId),
      done: 'Deleted.',
      examples: [['petstore pets delete 8', 'gone for good']],
    },
  ],
}
