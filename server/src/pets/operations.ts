import { z } from 'zod'
import { pageOf, pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { AnswerId, BodyId, Count, IdParam, integerParam, listParam, PathId, text } from '../api/shapes.ts'
import { Category } from '../categories/operations.ts'

export const PetStatus = z.enum(['available', 'pending', 'sold']).meta({
  id: 'PetStatus',
  description: 'Whether the pet can be ordered, is reserved, or is sold.',
  example: 'available',
})

// All examples are from the sample data.
const example = { id: 1, name: 'Rex', categoryId: 1, status: 'available' }
const { id: _, ...newExample } = example

const name = text(200).meta({ description: "The animal's name.", example: 'Rex' })
const categoryId = BodyId.meta({ description: 'ID of the category the animal belongs to.', example: 1 })

export const NewPet = z.strictObject({ name, categoryId, status: PetStatus.optional() }).meta({
  id: 'NewPet',
  description: 'The fields to register or replace a pet. Unknown fields are refused.',
  example: newExample,
})

const PetPatch = z
  .strictObject({ name: name.optional(), categoryId: categoryId.optional(), status: PetStatus.optional() })
  .meta({ id: 'PetPatch', description: 'The fields to change.', example: { name: 'Rex the Second' } })

const petFields = {
  id: AnswerId.meta({ description: 'Assigned on creation.' }),
  name,
  categoryId: AnswerId.meta({ description: 'ID of the category the animal belongs to.' }),
  status: PetStatus,
}

export const Pet = z.object(petFields).meta({
  id: 'Pet',
  extends: NewPet,
  description: 'An animal in the shop.',
  example,
})

export const Pets = pageOf(Pet).meta({ id: 'Pets', description: 'A list of pets.', example: [example] })

export const PetPath = z.object({
  petId: PathId.meta({ description: 'The id of a pet.', example: 1, parameter: 'PetId' }),
})

export const StatusFilter = listParam(PetStatus, { max: 100, form: 'repeated' })
  .optional()
  .meta({
    description: 'Only pets with one of these statuses. Repeat the parameter for several.',
    example: ['available'],
    parameter: 'StatusFilter',
  })

const tag = 'Catalogue'

const CategoryFilter = listParam(IdParam, { max: 100, form: 'repeated' })
  .optional()
  .meta({
    description: 'Only pets in one of these categories. Repeat the parameter for several.',
    example: [1],
    parameter: 'CategoryFilter',
  })

/** The largest stock count that a request may name. */
export const stockMax = 1_000_000_000

const StockParam = integerParam(0, stockMax).optional()

const PetQuery = z.strictObject({
  status: StatusFilter,
  categoryId: CategoryFilter,
  ids: listParam(IdParam, { max: 100, form: 'commas' })
    .optional()
    .meta({ description: 'Only pets with these ids.', example: [1, 2] }),
  minStock: StockParam.meta({ description: 'Only pets with at least this many in stock.', example: 1 }),
  maxStock: StockParam.meta({ description: 'Only pets with at most this many in stock.', example: 2 }),
  q: text(200).optional().meta({ description: 'Part of the name, case-insensitive.', example: 'rex' }),
  sort: z
    .enum(['id', '-id', 'name', '-name'])
    .optional()
    .meta({ description: 'The sort order; `id` by default.', example: 'name' }),
  ...pageParams,
})

export const listPets = defineOperation({
  id: 'listPets',
  method: 'get',
  path: '/pets',
  sdk: 'pets.list',
  tag,
  summary: 'List pets',
  description: 'Returns the catalogue in pages. All filters must match.',
  scope: 'pets:read',
  query: PetQuery,
  answers: { 200: { description: 'A page of pets.', body: Pets } },
})

/** The most categories in one response. */
export const categoriesCountedMax = 1_000

const PetCounts = z
  .object({
    total: Count.meta({ description: 'Pets that match the filters.' }),
    byStatus: z
      .object({ available: Count, pending: Count, sold: Count })
      .meta({ description: 'Matching pets by status.' }),
    byCategory: z
      .array(z.object({ categoryId: AnswerId, total: Count }))
      .max(categoriesCountedMax)
      .meta({
        description: `Matching pets by category, ordered by category id; at most ${categoriesCountedMax} categories that have pets.`,
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

export const countPets = defineOperation({
  id: 'countPets',
  method: 'get',
  path: '/pets/counts',
  sdk: 'pets.counts',
  tag,
  summary: 'Count pets',
  description: 'Returns the number of pets in total, by status and by category. The numbers are exact.',
  scope: 'pets:read',
  stability: 'beta',
  query: z.strictObject({ status: StatusFilter, categoryId: CategoryFilter }),
  answers: { 200: { description: 'The counts.', body: PetCounts } },
})

export const createPet = defineOperation({
  id: 'createPet',
  method: 'post',
  path: '/pets',
  sdk: 'pets.create',
  tag,
  summary: 'Register a pet',
  description:
    'Adds a pet with one in stock, or none if its status is `sold`. A pet registered as `pending` is held: it cannot be ordered until someone sets it to `available`.',
  scope: 'pets:write',
  body: NewPet,
  answers: { 201: { description: 'The registered pet.', body: Pet } },
  errors: ['unknown_category'],
  etag: true,
})

export const batchMax = 100

export const createPets = defineOperation({
  id: 'createPets',
  method: 'post',
  path: '/pets/batch',
  sdk: 'pets.batch',
  tag,
  summary: 'Register many pets',
  description: `Registers 1 to ${batchMax} pets, all or none, and returns them in the same order. Errors name the item, such as \`/3/name\`. Each item counts as one request. If the quota is too small for all of them, the batch is refused and counts as one request.`,
  scope: 'pets:write',
  costs: 'items',
  stability: 'beta',
  body: z.array(NewPet).min(1).max(batchMax),
  answers: { 201: { description: 'The registered pets.', body: Pets } },
  errors: ['unknown_category'],
})

export const getPet = defineOperation({
  id: 'getPet',
  method: 'get',
  path: '/pets/{petId}',
  sdk: 'pets.get',
  tag,
  summary: 'Get a pet',
  description: 'Returns one pet. Deprecated: use the profile, which has the same fields and more.',
  scope: 'pets:read',
  deprecation: { since: '2026-11-01', sunset: '2027-06-30', successor: '/pets/{petId}/profile' },
  params: PetPath,
  answers: { 200: { description: 'The pet.', body: Pet } },
  errors: ['pet_not_found'],
  etag: true,
})

export const replacePet = defineOperation({
  id: 'replacePet',
  method: 'put',
  path: '/pets/{petId}',
  sdk: 'pets.replace',
  tag,
  summary: 'Replace a pet',
  description: 'Sets name and category. If `status` is absent, it does not change.',
  scope: 'pets:write',
  params: PetPath,
  body: NewPet,
  answers: { 200: { description: 'The updated pet.', body: Pet } },
  errors: ['pet_not_found', 'invalid_status_transition', 'unknown_category'],
  etag: true,
})

export const updatePet = defineOperation({
  id: 'updatePet',
  method: 'patch',
  path: '/pets/{petId}',
  sdk: 'pets.update',
  tag,
  summary: 'Change a pet',
  description: 'A merge patch (RFC 7396): absent fields do not change.',
  scope: 'pets:write',
  params: PetPath,
  body: PetPatch,
  answers: { 200: { description: 'The updated pet.', body: Pet } },
  errors: ['pet_not_found', 'invalid_status_transition', 'unknown_category'],
  etag: true,
})

export const deletePet = defineOperation({
  id: 'deletePet',
  method: 'delete',
  path: '/pets/{petId}',
  sdk: 'pets.delete',
  tag,
  summary: 'Delete a pet',
  description: 'Deletes a pet and its stock. Its complete orders are kept; a pet with open orders cannot be deleted.',
  scope: 'pets:write',
  params: PetPath,
  exampleParams: { petId: 8 },
  answers: { 204: { description: 'The pet was deleted.' } },
  errors: ['pet_not_found', 'pet_has_open_orders'],
  etag: true,
})

const PetProfile = z
  .object({
    ...petFields,
    category: Category,
    stock: Count.meta({ description: 'The number in stock.', example: 3 }),
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

export const listProfiles = defineOperation({
  id: 'listProfiles',
  method: 'get',
  path: '/pets/profiles',
  sdk: 'pets.profiles',
  tag,
  summary: 'List pet profiles',
  description: 'Returns pets with their category and stock in pages: everything a shop page shows, in one request.',
  scope: 'pets:read',
  stability: 'beta',
  query: PetQuery,
  answers: { 200: { description: 'A page of profiles.', body: pageOf(PetProfile) } },
})

export const getPetProfile = defineOperation({
  id: 'getPetProfile',
  method: 'get',
  path: '/pets/{petId}/profile',
  sdk: 'pets.profile',
  tag,
  summary: 'Get a pet profile',
  description: 'Returns one pet with its category, the number in stock, and whether its status is held.',
  scope: 'pets:read',
  params: PetPath,
  answers: { 200: { description: 'The profile.', body: PetProfile } },
  errors: ['pet_not_found'],
  // One part of the tag is the pet's own tag, so a client that read the profile can use it in If-Match on the pet.
  etag: { derived: ['category', 'stock', 'held'] },
})

export const petOperations = [
  listPets,
  createPet,
  listProfiles,
  countPets,
  createPets,
  getPet,
  replacePet,
  updatePet,
  deletePet,
  getPetProfile,
]
