// What the catalogue and the store should do, in the fewest words: lists, no transactions, no time.

import type { Body, Order, Pet, Refusal, Rule, Scene, World } from './model-scene.ts'
import { add, drop, listed } from './model-scene.ts'

const isOpen = (w: World, pet: Pet) => w.orders.some((order) => order.petId === pet.id && !order.complete)
const stockSays = (w: World, pet: Pet) => (pet.stock ? 'available' : isOpen(w, pet) ? 'pending' : 'sold')
const statusOf = (w: World, pet: Pet) => pet.hold ?? stockSays(w, pet)
const holdIn = (s: Scene) => (s.body.status === stockSays(s, s.pet) ? undefined : s.body.status)
const take = (pet: Pet, count: number) => Object.assign(pet, count !== 0 && { stock: (pet.stock ?? 0) - count })
const more = ({ body, order }: Scene) => (body.quantity ?? order.quantity) - order.quantity
const named = ({ status: _, ...named }: Body) => named
const arrivals = { available: { stock: 1 }, pending: { stock: 1, hold: 'pending' }, sold: { stock: 0 } } as const

const noCategory: Refusal = (s) => !s.category && 'category_not_found'
const inUse: Refusal = (s) => s.pets.some((pet) => pet.categoryId === s.category.id) && 'category_in_use'
const unknownCategory: Refusal = (s) => 'categoryId' in s.body && !s.category && 'unknown_category'
const noPet: Refusal = (s) => !s.pet && 'pet_not_found'
const unknownPet: Refusal = (s) => !s.pet && 'unknown_pet'
const notForSale: Refusal = (s) => statusOf(s, s.pet) !== 'available' && 'pet_not_available'
const hasOrders: Refusal = (s) => isOpen(s, s.pet) && 'pet_has_open_orders'
const badHold: Refusal = (s) =>
  (holdIn(s) === 'available' || `${statusOf(s, s.pet)} ${s.body.status}` === 'sold pending') &&
  'invalid_status_transition'
const noStock: Refusal = (s) => s.pet?.stock === undefined && 'inventory_not_found'
const tooFew = (pet: Pet, count: number): false | string =>
  count > 0 && count > (pet.stock ?? 0) && 'insufficient_stock'
const noOrder: Refusal = (s) => !s.order && 'order_not_found'
const isClosed: Refusal = (s) => noOrder(s) || (s.order.complete && 'order_complete')

const showPet = (w: World, pet: Pet) => ({ ...pet, hold: undefined, stock: undefined, status: statusOf(w, pet) })
export const showPets = (w: World) => w.pets.map((pet) => showPet(w, pet))
export const showItem = (w: World, pet: Pet) => ({ petId: pet.id, quantity: pet.stock, status: statusOf(w, pet) })
export const showOrder = ({ owner: _, ...order }: Order) => order

const place: Rule = ({ body, pet, orders, newId: id, caller: owner }) =>
  take(pet, body.quantity) && showOrder(add(orders, { complete: false, ...body, id, owner }))
const reorder: Rule = (s) => take(s.ordered, more(s)) && showOrder(Object.assign(s.order, s.body))
const arrive: Rule = ({ body, newId: id, ...w }) =>
  showPet(w, add(w.pets, { id, ...named(body), ...arrivals[body.status ?? 'available'] }))
const change: Rule = (s) => showPet(s, Object.assign(s.pet, named(s.body), s.body.status && { hold: holdIn(s) }))

/** Each step: what refuses it, in this order, or else what it changes and shows. */
export const rules = {
  createCategory: (s) => add(s.categories, { id: s.newId, name: s.body.name }),
  getCategory: (s) => noCategory(s) || s.category,
  replaceCategory: (s) => noCategory(s) || Object.assign(s.category, s.body),
  deleteCategory: (s) => noCategory(s) || inUse(s) || drop(s.categories, s.category),
  createPet: (s) => unknownCategory(s) || arrive(s),
  getPet: (s) => noPet(s) || showPet(s, s.pet),
  getProfile: (s) => noPet(s) || { ...showPet(s, s.pet), category: s.categoryOf(s.pet), stock: s.pet.stock ?? 0 },
  listPets: (s) => listed(s, showPets(s)),
  replacePet: (s) => noPet(s) || badHold(s) || unknownCategory(s) || change(s),
  updatePet: (s) => noPet(s) || badHold(s) || change(s),
  deletePet: (s) => noPet(s) || hasOrders(s) || drop(s.pets, s.pet),
  getStock: (s) => noStock(s) || showItem(s, s.pet),
  setStock: (s) => noPet(s) || showItem(s, Object.assign(s.pet, { stock: s.body.quantity })),
  deleteStock: (s) => noStock(s) || void Object.assign(s.pet, { stock: undefined }),
  adjustStock: (s) => noStock(s) || tooFew(s.pet, -s.body.delta) || showItem(s, take(s.pet, -s.body.delta)),
  placeOrder: (s) => unknownPet(s) || notForSale(s) || tooFew(s.pet, s.body.quantity) || place(s),
  getOrder: (s) => noOrder(s) || showOrder(s.order),
  listOrders: (s) => listed(s, s.orders.filter(s.mayRead).map(showOrder)),
  updateOrder: (s) => isClosed(s) || tooFew(s.ordered, more(s)) || reorder(s),
  cancelOrder: (s) => isClosed(s) || (take(s.ordered, -s.order.quantity) && drop(s.orders, s.order)),
} satisfies Record<string, Rule>
