import type { Category } from '@petstore/sdk'
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
      operation: 'listCategories',
      options: [
        ['--q <text>', 'only names that contain this'],
        ['--sort <order>', 'the order'],
      ],
      list: (shop, { fields }) => shop.categories.list(fields),
      examples: [['petstore categories list --sort name', 'sorted by name']],
    },
    {
      name: 'get',
      description: 'Show a category.',
      operation: 'getCategory',
      ids: ['category-id'],
      run: (shop, { id }) => shop.categories.get(id),
      examples: [['petstore categories get 1 --json', 'as JSON']],
    },
    {
      name: 'create',
      description: 'Create a category.',
      operation: 'createCategory',
      options: [name, description],
      run: (shop, { fields }) => shop.categories.create(fields),
      examples: [['petstore categories create --name Horses --description "Need a meadow."', 'create a category']],
    },
    {
      name: 'update',
      description: 'Change the given fields.',
      operation: 'updateCategory',
      ids: ['category-id'],
      options: [name, description],
      run: (shop, { id, fields, ifMatch }) => shop.categories.update(id, fields, { ifMatch }),
      examples: [['petstore categories update 1 --name Hounds', 'rename it']],
    },
    {
      name: 'delete',
      description: 'Delete a category. Rejected while it has pets.',
      operation: 'deleteCategory',
      also: ['getCategory'],
      ids: ['category-id'],
      remove: (shop, { id, ifMatch }) => shop.categories.delete(id, { ifMatch }),
      done: 'Deleted.',
      loss: { verb: 'Delete', one: 'category', several: 'categories', read: (shop, id) => shop.categories.get(id) },
      examples: [['petstore categories delete 6', 'delete an empty category']],
    },
  ],
}
