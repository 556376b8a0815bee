import type { ErrorCode } from '../../src/api/errors.ts'

// The shop, told in code: what the interface promises about categories, pets, stock, orders and the status of a pet.
// Everything is a list in memory. Changes happen one after the other, and take no time. Read it from top to bottom.
// The service must do and answer what this does, whatever it is asked: model.test.ts sees to that.

export interface Category {
  readonly id: number
  name: string
}

export type Status = 'available' | 'pending' | 'sold'

export interface Pet {
  readonly id: number
  name: string
  categoryId: number
  /** How many are in stock, or undefined when the pet has no inventory entry. */
  stock: number | undefined
  /** The status that a person holds against what the stock says, or undefined when nobody does. */
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

/** Whoever sends a request. */
export interface Caller {
  readonly keyId: number
  /** Clients see their own orders; the staff sees everyone's. */
  readonly seesEveryOrder: boolean
}

/** A rule forbids the change, and nothing was changed. */
export class Refused extends Error {
  constructor(readonly code: ErrorCode) {
    super(code)
  }
}

function refuse(code: ErrorCode): never {
  throw new Refused(code)
}

// The status of a pet

/** A pet whose inventory entry was deleted counts as out of stock. */
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

/** The status is what the stock says, unless a person holds it. */
export function statusOf(shop: Shop, pet: Pet): Status {
  return pet.hold ?? whatTheStockSays(shop, pet)
}

/** The hold that a pet has after a person has set its status. */
function holdAfterSetting(shop: Shop, pet: Pet, status: Status): Status | undefined {
  if (statusOf(shop, pet) === 'sold' && status === 'pending') refuse('invalid_status_transition')
  // A status that the stock says anyway is no hold, and ends the one there was.
  if (status === whatTheStockSays(shop, pet)) return undefined
  // Nothing is in stock, or the stock would say so.
  if (status === 'available') refuse('invalid_status_transition')
  // `pending` or `sold` against the stock is a hold. It stays, whatever becomes of the stock, until somebody sets another.
  return status
}

// Categories

export function findCategory(shop: Shop, categoryId: number): Category {
  const category = shop.categories.find(({ id }) => id === categoryId)
  if (category === undefined) refuse('category_not_found')
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

/** A category stays while pets are in it. */
export function deleteCategory(shop: Shop, categoryId: number): void {
  const category = findCategory(shop, categoryId)
  if (shop.pets.some((pet) => pet.categoryId === category.id)) refuse('category_in_use')
  remove(shop.categories, category)
}

/** A pet names its category in the body; one that does not exist is a fault of the body. */
function categoryMustExist(shop: Shop, categoryId: number): void {
  if (!shop.categories.some(({ id }) => id === categoryId)) refuse('unknown_category')
}

// Pets

export function findPet(shop: Shop, petId: number): Pet {
  const pet = shop.pets.find(({ id }) => id === petId)
  if (pet === undefined) refuse('pet_not_found')
  return pet
}

/** A pet is an animal in the shop, so registering one puts one in stock; none when it arrives sold. */
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
    // One that arrives pending has one in stock, which says available: a person holds it.
    hold: status === 'pending' ? 'pending' : undefined,
  }
  shop.pets.push(pet)
  return pet
}

/** What is absent stays as it is. */
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

/** A pet stays while it has an open order. Its inventory entry goes with it; its complete orders stay. */
export function deletePet(shop: Shop, petId: number): void {
  const pet = findPet(shop, petId)
  if (hasOpenOrder(shop, pet)) refuse('pet_has_open_orders')
  remove(shop.pets, pet)
}

// Inventory

/** The pet, when it has an inventory entry. */
export function findPetWithEntry(shop: Shop, petId: number): Pet {
  const pet = shop.pets.find(({ id }) => id === petId)
  if (pet === undefined || pet.stock === undefined) refuse('inventory_not_found')
  return pet
}

/** Sets any count, and makes the entry where there is none. */
export function setStock(shop: Shop, petId: number, quantity: number): { pet: Pet; madeTheEntry: boolean } {
  const pet = findPet(shop, petId)
  const madeTheEntry = pet.stock === undefined
  pet.stock = quantity
  return { pet, madeTheEntry }
}

/** Adds to the count or takes from it, never below zero. */
export function adjustStock(shop: Shop, petId: number, delta: number): Pet {
  const pet = findPetWithEntry(shop, petId)
  if (inStock(pet) + delta < 0) refuse('insufficient_stock')
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

/** Another client's order cannot be told from one that does not exist. */
export function findOrder(shop: Shop, caller: Caller, orderId: number): Order {
  const order = ordersOf(shop, caller).find(({ id }) => id === orderId)
  if (order === undefined) refuse('order_not_found')
  return order
}

function takeFromStock(pet: Pet, quantity: number): void {
  if (inStock(pet) < quantity) refuse('insufficient_stock')
  pet.stock = inStock(pet) - quantity
}

/** Brings the inventory entry back where it was deleted meanwhile. */
function returnToStock(pet: Pet, quantity: number): void {
  pet.stock = inStock(pet) + quantity
}

/** Placing an order takes its quantity from the stock. It may be placed already complete. */
export function placeOrder(
  shop: Shop,
  newId: number,
  caller: Caller,
  { petId, quantity, complete = false }: { petId: number; quantity: number; complete?: boolean | undefined },
): Order {
  const pet = shop.pets.find(({ id }) => id === petId)
  if (pet === undefined) refuse('unknown_pet')
  if (statusOf(shop, pet) !== 'available') refuse('pet_not_available')
  takeFromStock(pet, quantity)
  const order = { id: newId, ownerKeyId: caller.keyId, petId, quantity, complete }
  shop.orders.push(order)
  return order
}

/** A complete order changes and cancels no more. A pet with an open order cannot be deleted, so its pet is there. */
function findOpenOrder(shop: Shop, caller: Caller, orderId: number): { order: Order; pet: Pet } {
  const order = findOrder(shop, caller, orderId)
  if (order.complete) refuse('order_complete')
  return { order, pet: findPet(shop, order.petId) }
}

/** Changing the quantity takes or returns the difference. `complete` goes from false to true once. */
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

/** Cancelling returns the stock exactly once: the order is gone. */
export function cancelOrder(shop: Shop, caller: Caller, orderId: number): void {
  const { order, pet } = findOpenOrder(shop, caller, orderId)
  returnToStock(pet, order.quantity)
  remove(shop.orders, order)
}

function remove<Item>(list: Item[], item: Item): void {
  list.splice(list.indexOf(item), 1)
}
