import type { Feature } from '../../platform/compose/feature.ts'
import { withId } from '../../platform/db/table.ts'
import { Category, categoryErrors, categoryEvents, categoryOperations } from './operations.ts'
import { categoryRoutes } from './routes.ts'

export const categories: Feature = {
  name: 'categories',
  operations: categoryOperations,
  routes: categoryRoutes,
  errors: categoryErrors,
  events: [
    {
      resource: 'category',
      types: Object.values(categoryEvents),
      audience: { scope: 'pets:read', about: 'categories' },
      data: Category,
      example: { id: 1, name: 'Dogs' },
    },
  ],
  tables: [withId('categories')],
  tags: [{ name: 'Categories', description: 'Groups of pets, for example rabbits.', parent: 'Pets' }],
}
