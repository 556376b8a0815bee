import { z } from 'zod'
import { defineErrors } from '../../platform/api/errors.ts'
import { pageOf } from '../../platform/api/list-page.ts'
import { defineOperation } from '../../platform/api/operation.ts'
import { defineEvents } from '../../platform/events/types.ts'
import { categoryErrors } from '../categories/operations.ts'
import {
  CategoryFilter,
  NewPet,
  Pet,
  PetCounts,
  PetPatch,
  PetPath,
  PetProfile,
  PetQuery,
  Pets,
  StatusFilter,
} from './shapes.ts'

export const petErrors = defineErrors({
  pet_not_found: { status: 404, title: 'There is no pet with this id.', advice: 'List the pets to find its id.' },
  insufficient_stock: {
    status: 409,
    title: 'There is not enough in stock.',
    advice: 'Request a smaller quantity, or wait until more is in stock.',
  },
  stock_limit: {
    status: 409,
    title: 'There would be more in stock than a count can hold.',
    advice: 'Add less. For an order: lower the stock count first, then cancel or lower the order.',
  },
  pet_has_open_orders: {
    status: 409,
    title: 'The pet has open orders.',
    advice: 'Complete or cancel them first.',
  },
  invalid_status_transition: {
    status: 409,
    title: 'The pet cannot change from its current status to the requested one.',
    advice: 'Change the stock first, or set another status.',
  },
  unknown_pet: {
    status: 422,
    title: 'The body refers to a pet that does not exist.',
    advice: 'List the pets to find one that exists.',
  },
})

export const petEvents = defineEvents('pet', ['created', 'updated', 'deleted'])

export const stockEvents = defineEvents('inventory', ['changed', 'low', 'depleted'])

const tag = 'Catalogue'

export const listPets = defineOperation({
  id: 'listPets',
  method: 'get',
  path: '/pets',
  sdk: 'pets.list',
  tag,
  coveredBy: 'listProfiles',
  summary: 'List pets',
  description: 'Lists the pets of the catalogue in pages. All filters must match.',
  scope: 'pets:read',
  query: PetQuery,
  responses: { 200: { description: 'A page of pets.', body: Pets } },
})

export const countPets = defineOperation({
  id: 'countPets',
  method: 'get',
  path: '/pets/counts',
  sdk: 'pets.counts',
  tag,
  summary: 'Count pets',
  description: 'Counts pets in total, by status and by category. The numbers are exact.',
  scope: 'pets:read',
  query: z.strictObject({ status: StatusFilter, categoryId: CategoryFilter }),
  responses: { 200: { description: 'The counts.', body: PetCounts } },
})

export const createPet = defineOperation({
  id: 'createPet',
  method: 'post',
  path: '/pets',
  sdk: 'pets.create',
  tag,
  coveredBy: 'createPets',
  summary: 'Create a pet',
  description:
    'Adds a pet with one in stock, or none if its status is `sold`. A pet created as `pending` is held: it cannot be ordered until someone sets it to `available`.',
  scope: 'pets:write',
  body: NewPet,
  responses: { 201: { description: 'The created pet.', body: Pet } },
  errors: [categoryErrors.unknown_category],
  etag: true,
})

export const batchMax = 100

export const createPets = defineOperation({
  id: 'createPets',
  method: 'post',
  path: '/pets/batch',
  sdk: 'pets.batch',
  tag,
  summary: 'Create many pets',
  description: `Registers 1 to ${batchMax} new pets, all or none, and returns them in the same order. Errors name the item, such as \`/3/name\`. Each item counts as one request; a batch that exceeds the quota is rejected and counts as one.`,
  scope: 'pets:write',
  costs: 'items',
  body: z.array(NewPet).min(1).max(batchMax),
  responses: { 201: { description: 'The created pets.', body: Pets } },
  errors: [categoryErrors.unknown_category],
})

export const getPet = defineOperation({
  id: 'getPet',
  method: 'get',
  path: '/pets/{petId}',
  sdk: 'pets.get',
  tag,
  summary: 'Get a pet',
  description: 'Returns one pet. Deprecated: use `GET /pets/{petId}/profile`, which has the same fields and more.',
  scope: 'pets:read',
  deprecation: { since: '2026-11-01', sunset: '2027-06-30', successor: '/pets/{petId}/profile' },
  params: PetPath,
  responses: { 200: { description: 'The pet.', body: Pet } },
  errors: [petErrors.pet_not_found],
  etag: true,
})

const editedByProfile = 'For `If-Match`, use the `ETag` of the profile; a sale does not make it stale.'

export const replacePet = defineOperation({
  id: 'replacePet',
  method: 'put',
  path: '/pets/{petId}',
  sdk: 'pets.replace',
  tag,
  coveredBy: 'updatePet',
  summary: 'Replace a pet',
  description: `Sets name and category of a pet. If \`status\` is absent, it does not change. ${editedByProfile}`,
  scope: 'pets:write',
  params: PetPath,
  body: NewPet,
  responses: { 200: { description: 'The pet.', body: Pet } },
  errors: [petErrors.pet_not_found, petErrors.invalid_status_transition, categoryErrors.unknown_category],
  etag: true,
})

export const updatePet = defineOperation({
  id: 'updatePet',
  method: 'patch',
  path: '/pets/{petId}',
  sdk: 'pets.update',
  tag,
  summary: 'Change a pet',
  description: `Changes a pet by a merge patch (RFC 7396): absent fields do not change. ${editedByProfile}`,
  scope: 'pets:write',
  params: PetPath,
  body: PetPatch,
  responses: { 200: { description: 'The pet.', body: Pet } },
  errors: [petErrors.pet_not_found, petErrors.invalid_status_transition, categoryErrors.unknown_category],
  etag: true,
})

export const deletePet = defineOperation({
  id: 'deletePet',
  method: 'delete',
  path: '/pets/{petId}',
  sdk: 'pets.delete',
  tag,
  summary: 'Delete a pet',
  description:
    'Deletes a pet and its stock. Its completed orders are retained; a pet with open orders cannot be deleted.',
  scope: 'pets:write',
  params: PetPath,
  exampleParams: { petId: 8 },
  responses: { 204: { description: 'The pet was deleted.' } },
  errors: [petErrors.pet_not_found, petErrors.pet_has_open_orders],
  etag: true,
})

export const listProfiles = defineOperation({
  id: 'listProfiles',
  method: 'get',
  path: '/pets/profiles',
  sdk: 'pets.profiles',
  tag,
  tool: 'list_pets',
  summary: 'List pets with category and stock',
  description:
    'Lists or searches pets, with category and stock, in pages: everything a shop page shows, in one request.',
  scope: 'pets:read',
  query: PetQuery,
  responses: { 200: { description: 'A page of profiles.', body: pageOf(PetProfile) } },
})

export const getPetProfile = defineOperation({
  id: 'getPetProfile',
  method: 'get',
  path: '/pets/{petId}/profile',
  sdk: 'pets.profile',
  tag,
  tool: 'get_pet',
  summary: 'Get a pet profile',
  description:
    'Returns one pet with its category, the number in stock, and whether its status is held. This is the address of a pet, which `Location` names. Its `ETag` is for `If-Match` on the pet, also after a sale: name and category are compared, the status only if you set it, delete the pet, or it is held.',
  scope: 'pets:read',
  params: PetPath,
  responses: { 200: { description: 'The profile.', body: PetProfile } },
  errors: [petErrors.pet_not_found],
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
