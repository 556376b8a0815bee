import { z } from 'zod'
import { defineErrors } from '../../platform/api/errors.ts'
import { pageOf, pageParams } from '../../platform/api/list-page.ts'
import { defineOperation } from '../../platform/api/operation.ts'
import { IdParam, multiline, Name, ResponseId, text } from '../../platform/api/shapes.ts'
import { defineEvents } from '../../platform/events/types.ts'

export const categoryErrors = defineErrors({
  category_not_found: {
    status: 404,
    title: 'There is no category with this id.',
    advice: 'List the categories to find its id.',
  },
  category_in_use: {
    status: 409,
    title: 'The category still has pets in it.',
    advice: 'Move or delete its pets first.',
  },
  unknown_category: {
    status: 422,
    title: 'The body refers to a category that does not exist.',
    advice: 'Create the category first, or use one that exists.',
  },
})

export const categoryEvents = defineEvents('category', ['created', 'updated', 'deleted'])

const example = { id: 1, name: 'Dogs', description: 'Loyal, loud and fond of walks.' }
const newExample = { name: 'Horses', description: 'Need a meadow.' }

const name = Name.meta({
  description: 'The category name (for example a kind of animal such as dog, cat or rabbit). Outer spaces are removed.',
  example: 'Dogs',
})
const description = multiline(2_000).meta({
  description: 'A short description of the category. May have tabs and line feeds.',
})

const fields = { name, description: description.optional() }

export const NewCategory = z.strictObject(fields).meta({
  id: 'NewCategory',
  description: 'The fields to create or replace a category. Unknown fields are rejected.',
  example: newExample,
})

const CategoryPatch = z.strictObject({ name: name.optional(), description: description.nullable().optional() }).meta({
  id: 'CategoryPatch',
  description: 'The fields to change. `null` removes the description.',
  example: { description: 'Loyal companions.' },
})

export const Category = z
  .object({ id: ResponseId.meta({ description: 'Unique identifier assigned on creation.' }), ...fields })
  .meta({
    id: 'Category',
    extends: NewCategory,
    description: 'A group of pets, for example rabbits.',
    example,
  })

const CategoryPath = z.object({
  categoryId: IdParam.meta({ description: 'The id of a category.', example: 1, parameter: 'CategoryId' }),
})

const tag = 'Categories'

export const listCategories = defineOperation({
  id: 'listCategories',
  method: 'get',
  path: '/categories',
  sdk: 'categories.list',
  tag,
  summary: 'List categories',
  description: 'Lists all categories in pages.',
  scope: 'pets:read',
  query: z.strictObject({
    q: text(200).optional().meta({ description: 'Part of the name, case-insensitive.', example: 'dog' }),
    sort: z
      .enum(['id', '-id', 'name', '-name'])
      .optional()
      .meta({ description: 'The sort order; `id` by default.', example: 'name' }),
    ...pageParams,
  }),
  responses: { 200: { description: 'A page of categories.', body: pageOf(Category) } },
})

export const createCategory = defineOperation({
  id: 'createCategory',
  method: 'post',
  path: '/categories',
  sdk: 'categories.create',
  tag,
  summary: 'Create a category',
  description: 'Creates a category.',
  scope: 'pets:write',
  body: NewCategory,
  responses: { 201: { description: 'The new category.', body: Category } },
  etag: true,
})

export const getCategory = defineOperation({
  id: 'getCategory',
  method: 'get',
  path: '/categories/{categoryId}',
  sdk: 'categories.get',
  tag,
  summary: 'Get a category',
  description: 'Returns one category.',
  scope: 'pets:read',
  params: CategoryPath,
  responses: { 200: { description: 'The category.', body: Category } },
  errors: [categoryErrors.category_not_found],
  etag: true,
})

export const replaceCategory = defineOperation({
  id: 'replaceCategory',
  method: 'put',
  path: '/categories/{categoryId}',
  sdk: 'categories.replace',
  tag,
  coveredBy: 'updateCategory',
  summary: 'Replace a category',
  description: 'Sets name and description of a category. If the description is absent, it is removed.',
  scope: 'pets:write',
  params: CategoryPath,
  body: NewCategory,
  responses: { 200: { description: 'The category.', body: Category } },
  errors: [categoryErrors.category_not_found],
  etag: true,
})

export const updateCategory = defineOperation({
  id: 'updateCategory',
  method: 'patch',
  path: '/categories/{categoryId}',
  sdk: 'categories.update',
  tag,
  summary: 'Change a category',
  description: 'Changes a category by a merge patch (RFC 7396): absent fields do not change.',
  scope: 'pets:write',
  params: CategoryPath,
  body: CategoryPatch,
  responses: { 200: { description: 'The category.', body: Category } },
  errors: [categoryErrors.category_not_found],
  etag: true,
})

export const deleteCategory = defineOperation({
  id: 'deleteCategory',
  method: 'delete',
  path: '/categories/{categoryId}',
  sdk: 'categories.delete',
  tag,
  summary: 'Delete a category',
  description: 'Deletes a category that has no pets.',
  scope: 'pets:write',
  params: CategoryPath,
  exampleParams: { categoryId: 7 },
  responses: { 204: { description: 'The category was deleted.' } },
  errors: [categoryErrors.category_not_found, categoryErrors.category_in_use],
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
