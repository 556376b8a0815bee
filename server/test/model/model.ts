// A model of the shop: what the interface promises about categories, pets, stock, orders and the status of a pet. Everything
// is a list in memory, and changes happen one after the other. Read it from top to bottom. model.test.ts checks that the
// service behaves the same.

export interface Category {
  readonly id: number
  name: string
}

export type Status = 'available' | 'pending' | 'sold'

export interface Pet {
  readonly id: number
  name: string
  categoryId: number
  /** The stock count; undefined if the pet has no inventory item. */
  stock: number | undefined
  /** The status a person set against the stock; undefined if the pet is not held. */
  hold: Status | undefined
}

export interface Order {
  readonly id: number
  /** The key that placed it. */
  readonly ownerKeyId: number
  readonly petId: number
  quantity: number
  complete: boolean
}

export interface Shop {
  readonly categories: Category[]
  readonly pets: Pet[]
  readonly orders: Order[]
}

/** The sender of a request. */
export interface Caller {
  readonly keyId: number
  /** Clients see their own orders; staff see all. */
  readonly seesEveryOrder: boolean
}

/** A rule forbids the change; nothing was changed. */
export class Rejected extends Error {
  constructor(readonly code: string) {
    super(code)
  }
}

function reject(code: string): never {
  throw new Rejected(code)
}

// The status of a pet

/** A pet without an inventory item is out of stock. */
export function inStock(pet: Pet): number {
  return pet.stock ?? 0
}

function hasOpenOrder(shop: Shop, pet: Pet): boolean {
  return shop.orders.some((order) => order.petId === pet.id && !order.complete)
}

function whatTheStockSays(shop: Shop, pet: Pet): Status {
  if (inStock(pet) > 0) return 'available'
  if (hasOpenOrder(shop, pet)) return 'pending'
  return 'sold'
}

/** The status follows from the stock, unless the pet is held. */
export function statusOf(shop: Shop, pet: Pet): Status {
  return pet.hold ?? whatTheStockSays(shop, pet)
}

/** The hold after a person set the status. */
function holdAfterSetting(shop: Shop, pet: Pet, status: Status): Status | undefined {
  if (statusOf(shop, pet) === 'sold' && status === 'pending') reject('invalid_status_transition')
  // Setting the status that follows from the stock ends a hold.
  if (status === whatTheStockSays(shop, pet)) return undefined
  // Nothing is in stock, otherwise available would follow from it.
  if (status === 'available') reject('invalid_status_transition')
  // `pending` or `sold` against the stock is a hold. It stays, whatever happens to the stock, until someone sets another status.
  return status
}

// Categories

export function findCategory(shop: Shop, categoryId: number): Category {
  const category = shop.categories.find(({ id }) => id === categoryId)
  if (category === undefined) reject('category_not_found')
  return category
}

export function createCategory(shop: Shop, newId: number, name: string): Category {
  const category = { id: newId, name }
  shop.categories.push(category)
  return category
}

export function renameCategory(shop: Shop, categoryId: number, name: string): Category {
  const category = findCategory(shop, categoryId)
  category.name = name
  return category
}

/** A category with pets cannot be deleted. */
export function deleteCategory(shop: Shop, categoryId: number): void {
  const category = findCategory(shop, categoryId)
  if (shop.pets.some((pet) => pet.categoryId === category.id)) reject('category_in_use')
  remove(shop.categories, category)
}

/** The category is in the body, so an unknown one is a fault of the body. */
function categoryMustExist(shop: Shop, categoryId: number): void {
  if (!shop.categories.some(({ id }) => id === categoryId)) reject('unknown_category')
}

// Pets

export function findPet(shop: Shop, petId: number): Pet {
  const pet = shop.pets.find(({ id }) => id === petId)
  if (pet === undefined) reject('pet_not_found')
  return pet
}

/** Registering a pet puts one in stock, or none if it is sold. */
export function registerPet(
  shop: Shop,
  newId: number,
  { name, categoryId, status = 'available' }: { name: string; categoryId: number; status?: Status | undefined },
): Pet {
  categoryMustExist(shop, categoryId)
  const pet: Pet = {
    id: newId,
    name,
    categoryId,
    stock: status === 'sold' ? 0 : 1,
    // A pet registered as pending has one in stock, from which available would follow: it is held.
    hold: status === 'pending' ? 'pending' : undefined,
  }
  shop.pets.push(pet)
  return pet
}

/** Absent fields do not change. */
export function changePet(
  shop: Shop,
  petId: number,
  {
    name,
    categoryId,
    status,
  }: { name?: string | undefined; categoryId?: number | undefined; status?: Status | undefined },
): Pet {
  const pet = findPet(shop, petId)
  const hold = status === undefined ? pet.hold : holdAfterSetting(shop, pet, status)
  if (categoryId !== undefined) categoryMustExist(shop, categoryId)
  pet.name = name ?? pet.name
  pet.categoryId = categoryId ?? pet.categoryId
  pet.hold = hold
  return pet
}

/** A pet with open orders cannot be deleted. Its inventory item is deleted with it; its complete orders are kept. */
export function deletePet(shop: Shop, petId: number): void {
  const pet = findPet(shop, petId)
  if (hasOpenOrder(shop, pet)) reject('pet_has_open_orders')
  remove(shop.pets, pet)
}

// Inventory

/** The pet, if it has an inventory item. */
export function findPetWithEntry(shop: Shop, petId: number): Pet {
  const pet = shop.pets.find(({ id }) => id === petId)
  if (pet === undefined || pet.stock === undefined) reject('inventory_not_found')
  return pet
}

/** Sets the count, and creates the inventory item if there is none. */
export function setStock(shop: Shop, petId: number, quantity: number): { pet: Pet; madeTheEntry: boolean } {
  const pet = findPet(shop, petId)
  const madeTheEntry = pet.stock === undefined
  pet.stock = quantity
  return { pet, madeTheEntry }
}

/** Adds to or takes from the count, never below zero. */
export function adjustStock(shop: Shop, petId: number, delta: number): Pet {
  const pet = findPetWithEntry(shop, petId)
  if (inStock(pet) + delta < 0) reject('insufficient_stock')
  pet.stock = inStock(pet) + delta
  return pet
}

export function deleteEntry(shop: Shop, petId: number): void {
  const pet = findPetWithEntry(shop, petId)
  pet.stock = undefined
}

// Orders

export function ordersOf(shop: Shop, caller: Caller): Order[] {
  return shop.orders.filter(({ ownerKeyId }) => caller.seesEveryOrder || ownerKeyId === caller.keyId)
}

/** Another client's order looks like one that does not exist. */
export function findOrder(shop: Shop, caller: Caller, orderId: number): Order {
  const order = ordersOf(shop, caller).find(({ id }) => id === orderId)
  if (order === undefined) reject('order_not_found')
  return order
}

function takeFromStock(pet: Pet, quantity: number): void {
  if (inStock(pet) < quantity) reject('insufficient_stock')
  pet.stock = inStock(pet) - quantity
}

/** Creates the inventory item again if it was deleted. */
function returnToStock(pet: Pet, quantity: number): void {
  pet.stock = inStock(pet) + quantity
}

/** Placing an order takes its quantity from stock. It may be placed complete. */
export function placeOrder(
  shop: Shop,
  newId: number,
  caller: Caller,
  { petId, quantity, complete = false }: { petId: number; quantity: number; complete?: boolean | undefined },
): Order {
  const pet = shop.pets.find(({ id }) => id === petId)
  if (pet === undefined) reject('unknown_pet')
  if (statusOf(shop, pet) !== 'available') reject('pet_not_available')
  takeFromStock(pet, quantity)
  const order = { id: newId, ownerKeyId: caller.keyId, petId, quantity, complete }
  shop.orders.push(order)
  return order
}

/** A complete order cannot be changed or cancelled. A pet with open orders cannot be deleted, so the pet exists. */
function findOpenOrder(shop: Shop, caller: Caller, orderId: number): { order: Order; pet: Pet } {
  const order = findOrder(shop, caller, orderId)
  if (order.complete) reject('order_complete')
  return { order, pet: findPet(shop, order.petId) }
}

/** Changing the quantity takes or returns the difference. Completing is final. */
export function changeOrder(
  shop: Shop,
  caller: Caller,
  orderId: number,
  { quantity, complete }: { quantity?: number | undefined; complete?: boolean | undefined },
): Order {
  const { order, pet } = findOpenOrder(shop, caller, orderId)
  const difference = (quantity ?? order.quantity) - order.quantity
  if (difference > 0) takeFromStock(pet, difference)
  if (difference < 0) returnToStock(pet, -difference)
  order.quantity += difference
  order.complete = complete ?? order.complete
  return order
}

/** Cancelling returns the stock exactly once, because it deletes the order. */
export function cancelOrder(shop: Shop, caller: Caller, orderId: number): void {
  const { order, pet } = findOpenOrder(shop, caller, orderId)
  returnToStock(pet, order.quantity)
  remove(shop.orders, order)
}

/** An archive takes completed orders. Nothing else changes. */
export function archiveOrders(shop: Shop): void {
  for (const order of shop.orders.filter(({ complete }) => complete)) remove(shop.orders, order)
}

function remove<Item>(list: Item[], item: Item): void {
  list.splice(list.indexOf(item), 1)
}
