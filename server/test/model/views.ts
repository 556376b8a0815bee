import { expect } from 'bun:test'
import { type Category, findCategory, inStock, type Order, type Pet, type Shop, statusOf } from './model.ts'

// The resources of the model as responses show them.

export function showCategory({ id, name }: Category) {
  return { id, name }
}

export function showPet(shop: Shop, pet: Pet) {
  const { id, name, categoryId } = pet
  return { id, name, categoryId, status: statusOf(shop, pet) }
}

export function showProfile(shop: Shop, pet: Pet) {
  const category = showCategory(findCategory(shop, pet.categoryId))
  return { ...showPet(shop, pet), category, stock: inStock(pet), held: pet.hold !== undefined }
}

export function showInventoryItem(shop: Shop, pet: Pet) {
  return { petId: pet.id, quantity: inStock(pet), status: statusOf(shop, pet) }
}

export function showOrder({ id, petId, quantity, complete }: Order) {
  // Sequences run at the same time and move the clock they share.
  return { id, petId, quantity, complete, placedAt: expect.stringMatching(/Z$/) }
}
