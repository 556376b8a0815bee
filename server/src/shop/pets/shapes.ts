import { z } from 'zod'
import { pageOf, pageParams } from '../../platform/api/list-page.ts'
import { BodyId, Count, IdParam, integerParam, listParam, Name, ResponseId, text } from '../../platform/api/shapes.ts'
import { formatNumber } from '../../platform/lib/text.ts'
import { Category } from '../categories/operations.ts'

export const PetStatus = z.enum(['available', 'pending', 'sold']).meta({
  id: 'PetStatus',
  description: 'Whether the pet can be ordered, is reserved, or is sold.',
  example: 'available',
})

/** The status as a field. */
export const statusField = PetStatus.meta({ description: 'Status of the animal.' })

// All examples are from the sample data.
const example = { id: 1, name: 'Rex', categoryId: 1, status: 'available' }
const { id: _, ...newExample } = example

const name = Name.meta({ description: "The animal's name. Outer spaces are removed.", example: 'Rex' })
const categoryId = BodyId.meta({ description: 'ID of the category the animal belongs to.', example: 1 })

export const NewPet = z.strictObject({ name, categoryId, status: statusField.optional() }).meta({
  id: 'NewPet',
  description: 'The fields to create or replace a pet. Unknown fields are rejected.',
  example: newExample,
})

export const PetPatch = z
  .strictObject({ name: name.optional(), categoryId: categoryId.optional(), status: statusField.optional() })
  .meta({ id: 'PetPatch', description: 'The fields to change.', example: { name: 'Rex the Second' } })

const petFields = {
  id: ResponseId.meta({ description: 'Unique identifier assigned on creation.' }),
  name,
  categoryId: ResponseId.meta({ description: 'ID of the category the animal belongs to.' }),
  status: statusField,
}

export const Pet = z.object({ ...petFields, status: statusField.optional() }).meta({
  id: 'Pet',
  extends: NewPet,
  description: 'A pet in the shop. `status` is always sent.',
  example,
})

export const Pets = pageOf(Pet).meta({ id: 'Pets', description: 'A list of pets.', example: [example] })

export const PetPath = z.object({
  petId: IdParam.meta({ description: 'The id of a pet.', example: 1, parameter: 'PetId' }),
})

export const StatusFilter = listParam(PetStatus, 100)
  .optional()
  .meta({
    description: 'Only pets with one of these statuses.',
    example: ['available'],
    parameter: 'StatusFilter',
  })

export const CategoryFilter = listParam(IdParam, 100)
  .optional()
  .meta({
    description: 'Only pets in one of these categories.',
    example: [1],
    parameter: 'CategoryFilter',
  })

/** The highest stock count of a pet. The table also has a CHECK for it. */
export const stockMax = 1_000_000_000

const QuantityParam = integerParam(0, stockMax).optional()

/** The filters by stock, of pets and of the inventory. */
export const QuantityFilters = {
  minQuantity: QuantityParam.meta({ description: 'Only pets whose stock is at least this.', example: 1 }),
  maxQuantity: QuantityParam.meta({ description: 'Only pets whose stock is at most this.', example: 2 }),
}

export const PetQuery = z.strictObject({
  status: StatusFilter,
  categoryId: CategoryFilter,
  ids: listParam(IdParam, 100)
    .optional()
    .meta({ description: 'Only pets with these ids.', example: [1, 2] }),
  q: text(200).optional().meta({ description: 'Part of the name, case-insensitive.', example: 'rex' }),
  sort: z
    .enum(['id', '-id', 'name', '-name'])
    .optional()
    .meta({ description: 'The sort order; `id` by default.', example: 'name' }),
  ...pageParams,
  // Last: generated clients may take parameters by position, so new ones must not move the others.
  ...QuantityFilters,
})

/** The most categories in one response. */
export const categoriesCountedMax = 1_000

export const PetCounts = z
  .object({
    total: Count.meta({ description: 'Pets that match the filters.' }),
    byStatus: z
      .object({ available: Count, pending: Count, sold: Count })
      .meta({ description: 'Matching pets by status.' }),
    byCategory: z
      .array(z.object({ categoryId: ResponseId, total: Count }))
      .max(categoriesCountedMax)
      .meta({
        description: `Matching pets by category, ordered by category id: the first ${formatNumber(categoriesCountedMax)} that have any. If there are more, these add up to less than \`total\`.`,
      }),
  })
  .meta({
    id: 'PetCounts',
    description: 'The number of pets.',
    example: {
      total: 8,
      byStatus: { available: 6, pending: 1, sold: 1 },
      byCategory: [{ categoryId: 1, total: 8 }],
    },
  })

export const PetProfile = z
  .object({
    ...petFields,
    category: Category,
    stock: Count.max(stockMax).meta({ description: 'The number in stock.', example: 3 }),
    held: z.boolean().meta({
      description: 'Whether a person holds the status against the stock: then it does not follow the stock.',
      example: false,
    }),
  })
  .meta({
    id: 'PetProfile',
    description: 'A pet with its category and its stock.',
    example: {
      ...example,
      category: { id: 1, name: 'Dogs', description: 'Loyal, loud and fond of walks.' },
      stock: 3,
      held: false,
    },
  })
