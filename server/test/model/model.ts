// What each change should do to the catalogue and the store, in the fewest words: lists, no transactions, no time. A rule is
// what refuses the change, in this order, or else the change; it answers with what was changed. Reads need no rule.
import type { Body, Order, Pet, Refusal, Rule, Scene, World } from './scene.ts'
import { add, drop } from './scene.ts'

const isOpen = (w: World, pet: Pet) => w.orders.some((order) => order.petId === pet.id && !order.complete)
const stockSays = (w: World, pet: Pet) => (pet.stock ? 'available' : isOpen(w, pet) ? 'pending' : 'sold')
export const statusOf = (w: World, pet: Pet) => pet.hold ?? stockSays(w, pet)
const holdIn = (s: Scene) => (s.body.status === stockSays(s, s.pet) ? undefined : s.body.status)
const take = (pet: Pet, count: number) => Object.assign(pet, count !== 0 && { stock: (pet.stock ?? 0) - count })
const more = ({ body, order }: Scene) => (body.quantity ?? order.quantity) - order.quantity
const named = ({ status: _, ...named }: Body) => named
const arrivals = { available: { stock: 1 }, pending: { stock: 1, hold: 'pending' }, sold: { stock: 0 } } as const
const arrived = ({ body, newId: id }: Scene) => ({ id, ...named(body), ...arrivals[body.status ?? 'available'] })
const orderOf = (s: Scene): Order => ({ complete: false, ...s.body, id: s.newId, owner: s.caller })
const place = (s: Scene) => take(s.pet, s.body.quantity) && add(s.orders, orderOf(s))
const reorder = (s: Scene) => take(s.ordered, more(s)) && Object.assign(s.order, s.body)
const change = (s: Scene) => Object.assign(s.pet, named(s.body), s.body.status && { hold: holdIn(s) })

const inUse: Refusal = (s) => s.pets.some((pet) => pet.categoryId === s.category.id) && 'category_in_use'
const noCategory: Refusal = (s) => 'categoryId' in s.body && !s.category && 'unknown_category'
const notForSale: Refusal = (s) => statusOf(s, s.pet) !== 'available' && 'pet_not_available'
const hasOrders: Refusal = (s) => isOpen(s, s.pet) && 'pet_has_open_orders'
const isBarred = (s: Scene) => holdIn(s) === 'available' || `${statusOf(s, s.pet)} ${s.body.status}` === 'sold pending'
const badHold: Refusal = (s) => isBarred(s) && 'invalid_status_transition'
const tooFew = (pet: Pet, count: number) => count > (pet.stock ?? 0) && 'insufficient_stock'
const isClosed: Refusal = (s) => s.order.complete && 'order_complete'

export const rules: Record<string, Rule> = {
  createCategory: (s) => add(s.categories, { ...s.body, id: s.newId }),
  replaceCategory: (s) => Object.assign(s.category, s.body),
  deleteCategory: (s) => inUse(s) || drop(s.categories, s.category),
  createPet: (s) => noCategory(s) || add(s.pets, arrived(s)),
  replacePet: (s) => badHold(s) || noCategory(s) || change(s),
  updatePet: (s) => badHold(s) || change(s),
  deletePet: (s) => hasOrders(s) || drop(s.pets, s.pet),
  setStock: (s) => Object.assign(s.pet, { stock: s.body.quantity }),
  deleteStock: (s) => Object.assign(s.pet, { stock: undefined }),
  adjustStock: (s) => tooFew(s.pet, -s.body.delta) || take(s.pet, -s.body.delta),
  placeOrder: (s) => notForSale(s) || tooFew(s.pet, s.body.quantity) || place(s),
  updateOrder: (s) => isClosed(s) || tooFew(s.ordered, more(s)) || reorder(s),
  cancelOrder: (s) => isClosed(s) || (take(s.ordered, -s.order.quantity) && drop(s.orders, s.order)),
}
