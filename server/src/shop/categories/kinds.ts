import { defineErrors } from '../../platform/api/errors.ts'
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
