import { z } from 'zod'
import { pageParams } from '../api/list-page.ts'
import { defineOperation } from '../api/operation.ts'
import { AnswerId, BodyId, IdParam, listParam, PathId, text } from '../api/shapes.ts'
import { Category } from '../categories/operations.ts'

export const PetStatus = z.enum(['available', 'pending', 'sold']).meta({
  id: 'PetStatus',
  description: 'Whether the pet can be ordered, is spoken for, or is gone.',
  example: 'available',
})

// Like all examples, of the sample shop.
const example = { id: 1, name: 'Rex', categoryId: 1, status: 'available' }
const { id: _, ...newExample } = example

const name = text(200).meta({ description: "The animal's name.", example: 'Rex' })
const categoryId = BodyId.meta({ description: 'ID of the category the animal belongs to.', example: 1 })

export const NewPet = z.strictObject({ name, categoryId, status: PetStatus.optional() }).meta({
  id: 'NewPet',
  description: 'What is sent to register or replace a pet. Other fields are refused.',
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

export const Pet = z.object({ ...petFields, status: petFields.status.optional() }).meta({
  id: 'Pet',
  extends: 'NewPet',
  description: 'An animal in the shop. Its status is always given.',
  example,
})

export const Pets = z.array(Pet).meta({ id: 'Pets', description: 'A list of pets.', example: [example] })

export const PetPath = z.object({
  petId: PathId.meta({ description: 'The id of a pet.', example: 1, parameter: 'PetId' }),
})

export const StatusFilter = listParam(PetStatus, { max: 100, form: 'repeated' })
  .optional()
  .meta({
    description: 'Only pets with one of these statuses; may be given several times.',
    example: ['available'],
    parameter: 'StatusFilter',
  })

const tag = 'Catalogue'

const CategoryFilter = listParam(IdParam, { max: 100, form: 'repeated' })
  .optional()
  .meta({
    description: 'Only pets of one of these categories; may be given several times.',
    example: [1],
    parameter: 'CategoryFilter',
  })

const PetQuery = z.strictObject({
  status: StatusFilter,
  categoryId: CategoryFilter,
  ids: listParam(IdParam, { max: 100, form: 'commas' })
    .optional()
    .meta({ description: 'Only pets with these ids.', example: [1, 2] }),
  q: text(200).optional().meta({ description: 'Part of the name, in any case.', example: 'rex' }),
  sort: z
    .enum(['id', '-id', 'name', '-name'])
    .optional()
    .meta({ description: 'The order; `id` unless given.', example: 'name' }),
  ...pageParams,
})

export const listPets = defineOperation({
  id: 'listPets',
  method: 'get',
  path: '/pets',
  tag,
  summary: 'List pets',
  description: 'The catalogue, page by page. Filters narrow it down together.',
  scope: 'pets:read',
  query: PetQuery,
  answers: { 200: { description: 'A page of pets.', body: Pets } },
})

/** Categories that are counted one by one. */
export const categoriesCountedMax = 1_000

const count = z.int().min(0)

const PetCounts = z
  .object({
    total: count.meta({ description: 'Pets that the filters let through.' }),
    byStatus: z.object({ available: count, pending: count, sold: count }).meta({ description: 'The same by status.' }),
    byCategory: z
      .array(z.object({ categoryId: AnswerId, total: count }))
      .meta({ description: `The same by category, by id, at most ${categoriesCountedMax} of those that have any.` }),
  })
  .meta({
    id: 'PetCounts',
    description: 'How many pets there are.',
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
  tag,
  summary: 'Count pets',
  description: 'How many pets there are, in all, by status and by category. The numbers are exact.',
  scope: 'pets:read',
  stability: 'beta',
  query: z.strictObject({ status: StatusFilter, categoryId: CategoryFilter }),
  answers: { 200: { description: 'The counts.', body: PetCounts } },
})

export const createPet = defineOperation({
  id: 'createPet',
  method: 'post',
  path: '/pets',
  tag,
  summary: 'Register a pet',
  description:
    'Adds an animal to the shop and puts one in stock (none when it arrives `sold`). A pet that arrives `pending` is held: it cannot be ordered until somebody sets it `available`, which its stock says.',
  scope: 'pets:write',
  body: NewPet,
  answers: { 201: { description: 'The pet as registered.', body: Pet } },
  errors: ['unknown_category'],
  etag: true,
})

export const batchMax = 100

export const createPets = defineOperation({
  id: 'createPets',
  method: 'post',
  path: '/pets/batch',
  tag,
  summary: 'Register many pets',
  description: `Registers 1 to ${batchMax} pets, all of them or none, and answers in their order. Faults are named by place, such as \`/3/name\`. Costs as many requests as it has items, and is refused whole when they are not left; then it has cost one.`,
  scope: 'pets:write',
  costs: 'items',
  stability: 'beta',
  body: z.array(NewPet).min(1).max(batchMax),
  answers: { 201: { description: 'The pets as registered.', body: Pets } },
  errors: ['unknown_category'],
})

export const getPet = defineOperation({
  id: 'getPet',
  method: 'get',
  path: '/pets/{petId}',
  tag,
  summary: 'Get a pet',
  description: 'One pet by its id. Deprecated: the profile answers with the same fields and more.',
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
  tag,
  summary: 'Replace a pet',
  description: 'Sets name and category. An absent status stays as it is.',
  scope: 'pets:write',
  params: PetPath,
  body: NewPet,
  answers: { 200: { description: 'The pet as it now is.', body: Pet } },
  errors: ['pet_not_found', 'invalid_status_transition', 'unknown_category'],
  etag: true,
})

export const updatePet = defineOperation({
  id: 'updatePet',
  method: 'patch',
  path: '/pets/{petId}',
  tag,
  summary: 'Change a pet',
  description: 'A merge patch (RFC 7396): fields that are absent stay as they are.',
  scope: 'pets:write',
  params: PetPath,
  body: PetPatch,
  answers: { 200: { description: 'The pet as it now is.', body: Pet } },
  errors: ['pet_not_found', 'invalid_status_transition', 'unknown_category'],
  etag: true,
})

export const deletePet = defineOperation({
  id: 'deletePet',
  method: 'delete',
  path: '/pets/{petId}',
  tag,
  summary: 'Delete a pet',
  description: 'Removes a pet and its stock. Its complete orders stay; while it has open ones it cannot be deleted.',
  scope: 'pets:write',
  params: PetPath,
  exampleParams: { petId: 8 },
  answers: { 204: { description: 'The pet is gone.' } },
  errors: ['pet_not_found', 'pet_has_open_orders'],
  etag: true,
})

const PetProfile = z
  .object({
    ...petFields,
    category: Category,
    stock: z.int().min(0).meta({ description: 'How many are in stock.', example: 3 }),
  })
  .meta({
    id: 'PetProfile',
    description: 'A pet with its category and its stock.',
    example: { ...example, category: { id: 1, name: 'Dogs', description: 'Loyal, loud and fond of walks.' }, stock: 3 },
  })

export const listProfiles = defineOperation({
  id: 'listProfiles',
  method: 'get',
  path: '/pets/profiles',
  tag,
  summary: 'List profiles of pets',
  description: 'Pets with their categories and stock, page by page: what a page of a shop shows, in one request.',
  scope: 'pets:read',
  stability: 'beta',
  query: PetQuery,
  answers: { 200: { description: 'A page of profiles.', body: z.array(PetProfile) } },
})

export const getPetProfile = defineOperation({
  id: 'getPetProfile',
  method: 'get',
  path: '/pets/{petId}/profile',
  tag,
  summary: 'Get the profile of a pet',
  description: 'One pet with its category and how many are in stock, in one answer.',
  scope: 'pets:read',
  params: PetPath,
  answers: { 200: { description: 'The profile.', body: PetProfile } },
  errors: ['pet_not_found'],
  // The pet's own part of the tag is the pet's tag: who read the profile may guard a write of the pet with it.
  etag: { derived: ['category', 'stock'] },
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
