import { z } from 'zod'
import { pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { AnswerId, PathId, text } from '../api/shapes.ts'

const example = { id: 1, name: 'Dogs', description: 'Loyal, loud and fond of walks.' }
const newExample = { name: 'Horses', description: 'Need a meadow.' }

const name = text(200).meta({ description: 'The category name, for example a kind of animal.', example: 'Dogs' })
const description = text(2_000, 0).meta({ description: 'A short description of the category.' })

const fields = { name, description: description.optional() }

export const NewCategory = z.strictObject(fields).meta({
  id: 'NewCategory',
  description: 'What is sent to create or replace a category. Other fields are refused.',
  example: newExample,
})

const CategoryPatch = z.strictObject({ name: name.optional(), description: description.nullable().optional() }).meta({
  id: 'CategoryPatch',
  description: 'The fields to change. `null` removes the description.',
  example: { description: 'Loyal companions.' },
})

export const Category = z.object({ id: AnswerId.meta({ description: 'Assigned on creation.' }), ...fields }).meta({
  id: 'Category',
  extends: 'NewCategory',
  description: 'A group of pets, for example a kind of animal.',
  example,
})

const CategoryPath = z.object({
  categoryId: PathId.meta({ description: 'The id of a category.', example: 1, parameter: 'CategoryId' }),
})

const tag = 'Categories'

export const listCategories = defineOperation({
  id: 'listCategories',
  method: 'get',
  path: '/categories',
  tag,
  summary: 'List categories',
  description: 'All categories, page by page.',
  scope: 'pets:read',
  query: z.strictObject({
    q: text(200).optional().meta({ description: 'Part of the name, in any case.', example: 'dog' }),
    sort: z
      .enum(['id', '-id', 'name', '-name'])
      .optional()
      .meta({ description: 'The order; `id` unless given.', example: 'name' }),
    ...pageParams,
  }),
  answers: { 200: { description: 'A page of categories.', body: z.array(Category) } },
})

export const createCategory = defineOperation({
  id: 'createCategory',
  method: 'post',
  path: '/categories',
  tag,
  summary: 'Create a category',
  description: 'Adds a category, to which pets can then belong.',
  scope: 'pets:write',
  body: NewCategory,
  answers: { 201: { description: 'The category as created.', body: Category } },
  etag: true,
})

export const getCategory = defineOperation({
  id: 'getCategory',
  method: 'get',
  path: '/categories/{categoryId}',
  tag,
  summary: 'Get a category',
  description: 'One category by its id.',
  scope: 'pets:read',
  params: CategoryPath,
  answers: { 200: { description: 'The category.', body: Category } },
  errors: ['category_not_found'],
  etag: true,
})

export const replaceCategory = defineOperation({
  id: 'replaceCategory',
  method: 'put',
  path: '/categories/{categoryId}',
  tag,
  summary: 'Replace a category',
  description: 'Sets name and description; an absent description is removed.',
  scope: 'pets:write',
  params: CategoryPath,
  body: NewCategory,
  answers: { 200: { description: 'The category as it now is.', body: Category } },
  errors: ['category_not_found'],
  etag: true,
})

export const updateCategory = defineOperation({
  id: 'updateCategory',
  method: 'patch',
  path: '/categories/{categoryId}',
  tag,
  summary: 'Change a category',
  description: 'A merge patch (RFC 7396): fields that are absent stay as they are.',
  scope: 'pets:write',
  params: CategoryPath,
  body: CategoryPatch,
  answers: { 200: { description: 'The category as it now is.', body: Category } },
  errors: ['category_not_found'],
  etag: true,
})

export const deleteCategory = defineOperation({
  id: 'deleteCategory',
  method: 'delete',
  path: '/categories/{categoryId}',
  tag,
  summary: 'Delete a category',
  description: 'Removes a category that no pet belongs to.',
  scope: 'pets:write',
  params: CategoryPath,
  exampleParams: { categoryId: 7 },
  answers: { 204: { description: 'The category is gone.' } },
  errors: ['category_not_found', 'category_in_use'],
  etag: true,
})

export const categoryOperations = [
  listCategories,
  createCategory,
  getCategory,
  replaceCategory,
  updateCategory,
  deleteCategory,
]
