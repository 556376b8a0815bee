import type { Category, NewCategory } from '@petstore/sdk'
import type { Resource } from './resource.ts'

const name = ['--name <name>', 'what it is called'] as const
const description = ['--description <text>', 'a sentence about it'] as const

export const categories: Resource<Category> = {
  name: 'categories',
  description: 'What kinds of animals there are.',
  columns: [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name],
    ['DESCRIPTION', ({ description }) => description],
  ],
  actions: [
    {
      name: 'list',
      description: 'List categories.',
      options: [
        ['--q <text>', 'only with this in the name'],
        ['--sort <order>', 'id, -id, name or -name'],
      ],
      list: (shop, query) => shop.categories.list(query),
      examples: [['petstore categories list --sort name', 'in the order of their names']],
    },
    {
      name: 'get',
      description: 'Show a category.',
      ids: ['category-id'],
      run: (shop, _, categoryId = 0) => shop.categories.get(categoryId),
      examples: [['petstore categories get 1 --json', 'for a program']],
    },
    {
      name: 'create',
      description: 'Create a category.',
      options: [name, description],
      run: (shop, fields) => shop.categories.create(fields as NewCategory),
      examples: [['petstore categories create --name Horses --description "Need a meadow."', 'a new kind']],
    },
    {
      name: 'update',
      description: 'Change what is given; the rest stays.',
      ids: ['category-id'],
      options: [name, description],
      run: (shop, fields, categoryId = 0) => shop.categories.update(categoryId, fields),
      examples: [['petstore categories update 1 --name Hounds', 'another name']],
    },
    {
      name: 'delete',
      description: 'Delete a category. Refused while pets are in it.',
      ids: ['category-id'],
      remove: (shop, categoryId = 0) => shop.categories.delete(categoryId),
      done: 'Deleted.',
      examples: [['petstore categories delete 6', 'one that is empty']],
    },
  ],
}
