import type { Category, NewCategory } from '@petstore/sdk'
import type { Resource } from './resource.ts'

const name = ['--name <name>', 'the name'] as const
const description = ['--description <text>', 'a short description'] as const

export const categories: Resource<Category> = {
  name: 'categories',
  description: 'Manage categories of pets.',
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
        ['--q <text>', 'only names that contain this'],
        ['--sort <order>', 'id, -id, name or -name'],
      ],
      list: (shop, query) => shop.categories.list(query),
      examples: [['petstore categories list --sort name', 'sorted by name']],
    },
    {
      name: 'get',
      description: 'Show a category.',
      ids: ['category-id'],
      run: (shop, _, categoryId = 0) => shop.categories.get(categoryId),
      examples: [['petstore categories get 1 --json', 'as JSON']],
    },
    {
      name: 'create',
      description: 'Create a category.',
      options: [name, description],
      run: (shop, fields) => shop.categories.create(fields as NewCategory),
      examples: [['petstore categories create --name Horses --description "Need a meadow."', 'create a category']],
    },
    {
      name: 'update',
      description: 'Change the given fields.',
      ids: ['category-id'],
      options: [name, description],
      run: (shop, fields, categoryId = 0) => shop.categories.update(categoryId, fields),
      examples: [['petstore categories update 1 --name Hounds', 'rename it']],
    },
    {
      name: 'delete',
      description: 'Delete a category. Refused while it has pets.',
      ids: ['category-id'],
      remove: (shop, categoryId = 0) => shop.categories.delete(categoryId),
      done: 'Deleted.',
      examples: [['petstore categories delete 6', 'delete an empty category']],
    },
  ],
}
