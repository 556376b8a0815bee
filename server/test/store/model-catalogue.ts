import { categoryOf, type Play, petOf, showPet, sorted } from './model-play.ts'

export const cataloguePlays = {
  createCategory: {
    by: 'staff',
    request: ({ name }) => ['POST', '/categories', { name }],
    expected: (model, { name }, _, id) => {
      model.categories.set(id, { name })
      return { body: categoryOf(model, id) }
    },
  },
  getCategory: {
    request: (_, { categoryId }) => ['GET', `/categories/${categoryId}`],
    expected: (model, _, { categoryId }) =>
      model.categories.has(categoryId) ? { body: categoryOf(model, categoryId) } : 'category_not_found',
  },
  replaceCategory: {
    by: 'staff',
    request: ({ name, descending }, { categoryId }) => [
      descending ? 'PUT' : 'PATCH',
      `/categories/${categoryId}`,
      { name },
    ],
    expected: (model, { name }, { categoryId }) => {
      if (!model.categories.has(categoryId)) return 'category_not_found'
      model.categories.set(categoryId, { name })
      return { body: categoryOf(model, categoryId) }
    },
  },
  deleteCategory: {
    by: 'staff',
    request: (_, { categoryId }) => ['DELETE', `/categories/${categoryId}`],
    expected: (model, _, { categoryId }) => model.deleteCategory(categoryId),
  },
  createPet: {
    by: 'staff',
    request: ({ name, status }, { categoryId }) => ['POST', '/pets', { name, categoryId, status }],
    expected: (model, { name, status }, { categoryId }, id) =>
      model.addPet(id, name, categoryId, status) ?? { body: petOf(model, id) },
  },
  getPet: {
    request: ({ descending }, { petId }) => ['GET', `/pets/${petId}${descending ? '/profile' : ''}`],
    expected: (model, { descending }, { petId }) => {
      const pet = model.pets.get(petId)
      if (!pet) return 'pet_not_found'
      const profile = { category: categoryOf(model, pet.categoryId), stock: pet.stock ?? 0 }
      return { body: { ...petOf(model, petId), ...(descending && profile) } }
    },
  },
  listPets: {
    request: ({ status, descending }, { categoryId }) => [
      'GET',
      `/pets?limit=100&categoryId=${categoryId}${status ? `&status=${status}` : ''}${descending ? '&sort=-id' : ''}`,
    ],
    expected: (model, step, { categoryId }) =>
      sorted(
        [...model.pets]
          .filter(([, pet]) => pet.categoryId === categoryId && (step.status ?? pet.status) === pet.status)
          .map(([id, pet]) => showPet(id, pet)),
        step,
      ),
  },
  replacePet: {
    by: 'staff',
    request: ({ name, status }, { petId, categoryId }) => ['PUT', `/pets/${petId}`, { name, categoryId, status }],
    expected: (model, { name, status }, { petId, categoryId }) =>
      model.changePet(petId, { name, categoryId, ...(status && { status }) }) ?? { body: petOf(model, petId) },
  },
  updatePet: {
    by: 'staff',
    request: ({ status }, { petId }) => ['PATCH', `/pets/${petId}`, { status }],
    expected: (model, { status }, { petId }) =>
      model.changePet(petId, status ? { status } : {}) ?? { body: petOf(model, petId) },
  },
  deletePet: {
    by: 'staff',
    request: (_, { petId }) => ['DELETE', `/pets/${petId}`],
    expected: (model, _, { petId }) => model.deletePet(petId),
  },
} satisfies Record<string, Play>
