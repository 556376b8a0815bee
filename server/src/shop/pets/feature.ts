import type { Feature } from '../../platform/compose/feature.ts'
import { derived, withId } from '../../platform/db/table.ts'
import { addUpCounts } from './counts.ts'
import { petErrors, petEvents, petOperations } from './operations.ts'
import { petRoutes } from './routes.ts'
import { Pet } from './shapes.ts'

export const pets: Feature = {
  name: 'pets',
  operations: petOperations,
  routes: petRoutes,
  errors: petErrors,
  scopes: {
    'pets:read': 'Read pets and categories.',
    'pets:write': 'Add, change and remove pets and categories.',
  },
  events: [
    {
      resource: 'pet',
      types: Object.values(petEvents),
      audience: { scope: 'pets:read', about: 'pets' },
      data: Pet,
      example: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    },
  ],
  // Triggers count pets.
  tables: [withId('pets', { refersTo: ['categories'] }), derived('pet_counts'), derived('pet_count_changes')],
  tags: [{ name: 'Catalogue', description: 'The pets in the shop.', parent: 'Pets', toolset: 'pets' }],
  jobs: ({ db }) => [{ name: 'add-up-pet-counts', everyMs: 1_000, run: () => addUpCounts(db) }],
}
