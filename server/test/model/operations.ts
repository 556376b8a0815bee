import * as model from './model.ts'
import type { Step } from './steps.ts'
import { showCategory, showInventoryItem, showOrder, showPet, showProfile } from './views.ts'

// Each operation of the catalogue and the store: how a step sends it, and the model's response.

/** A step with the actual ids in this sequence. */
export interface NamedStep extends Step {
  readonly categoryId: number
  readonly petId: number
  readonly orderId: number
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Undefined fields are not sent. */
  readonly body?: Readonly<Record<string, unknown>>
}

export interface Success {
  readonly status: 200 | 201 | 204
  readonly body?: unknown
}

const ok = (body: unknown): Success => ({ status: 200, body })
const created = (body: unknown): Success => ({ status: 201, body })
const noContent: Success = { status: 204 }

interface Turn {
  readonly shop: model.Shop
  readonly caller: model.Caller
  readonly step: NamedStep
  /** The id of the created resource, if any. */
  readonly newId: number
}

interface Operation {
  /** The model's possible rejections. */
  readonly rejections: readonly string[]
  /** Whose key sends it: only staff change the catalogue and the inventory. */
  readonly sentBy: 'staff' | 'anyone'
  readonly request: (step: NamedStep) => Request
  /** Throws one of the rejections if a rule of the model forbids it. */
  readonly response: (turn: Turn) => Success
}

const categories = {
  createCategory: {
    sentBy: 'staff',
    rejections: [],
    request: ({ name }) => ({ method: 'POST', path: '/categories', body: { name } }),
    response: ({ shop, newId, step }) => created(showCategory(model.createCategory(shop, newId, step.name))),
  },
  listCategories: {
    sentBy: 'anyone',
    rejections: [],
    // The newest, because other sequences create categories too.
    request: () => ({ method: 'GET', path: '/categories?limit=100&sort=-id' }),
    response: ({ shop }) => ok(shop.categories.map(showCategory).toReversed()),
  },
  getCategory: {
    sentBy: 'anyone',
    rejections: ['category_not_found'],
    request: ({ categoryId }) => ({ method: 'GET', path: `/categories/${categoryId}` }),
    response: ({ shop, step }) => ok(showCategory(model.findCategory(shop, step.categoryId))),
  },
  replaceCategory: {
    sentBy: 'staff',
    rejections: ['category_not_found'],
    request: ({ categoryId, name }) => ({ method: 'PUT', path: `/categories/${categoryId}`, body: { name } }),
    response: ({ shop, step }) => ok(showCategory(model.renameCategory(shop, step.categoryId, step.name))),
  },
  updateCategory: {
    sentBy: 'staff',
    rejections: ['category_not_found'],
    request: ({ categoryId, name }) => ({ method: 'PATCH', path: `/categories/${categoryId}`, body: { name } }),
    response: ({ shop, step }) => ok(showCategory(model.renameCategory(shop, step.categoryId, step.name))),
  },
  deleteCategory: {
    sentBy: 'staff',
    rejections: ['category_not_found', 'category_in_use'],
    request: ({ categoryId }) => ({ method: 'DELETE', path: `/categories/${categoryId}` }),
    response: ({ shop, step }) => {
      model.deleteCategory(shop, step.categoryId)
      return noContent
    },
  },
} satisfies Record<string, Operation>

const pets = {
  createPet: {
    sentBy: 'staff',
    rejections: ['unknown_category'],
    request: ({ name, categoryId, status }) => ({ method: 'POST', path: '/pets', body: { name, categoryId, status } }),
    response: ({ shop, newId, step }) => created(showPet(shop, model.registerPet(shop, newId, step))),
  },
  listPets: {
    sentBy: 'anyone',
    rejections: [],
    request: ({ categoryId, status, sort }) => ({
      method: 'GET',
      path: `/pets?${query({ categoryId, status, sort })}`,
    }),
    response: ({ shop, step: { categoryId, status, sort } }) => {
      const items = shop.pets.map((pet) => showPet(shop, pet))
      const wanted = items
        .filter((pet) => pet.categoryId === categoryId)
        .filter((pet) => status === undefined || pet.status === status)
      return ok(sorted(wanted, sort))
    },
  },
  getPet: {
    sentBy: 'anyone',
    rejections: ['pet_not_found'],
    request: ({ petId }) => ({ method: 'GET', path: `/pets/${petId}` }),
    response: ({ shop, step }) => ok(showPet(shop, model.findPet(shop, step.petId))),
  },
  getPetProfile: {
    sentBy: 'anyone',
    rejections: ['pet_not_found'],
    request: ({ petId }) => ({ method: 'GET', path: `/pets/${petId}/profile` }),
    response: ({ shop, step }) => ok(showProfile(shop, model.findPet(shop, step.petId))),
  },
  replacePet: {
    sentBy: 'staff',
    rejections: ['pet_not_found', 'invalid_status_transition', 'unknown_category'],
    request: ({ petId, name, categoryId, status }) => ({
      method: 'PUT',
      path: `/pets/${petId}`,
      body: { name, categoryId, status },
    }),
    response: ({ shop, step: { petId, name, categoryId, status } }) =>
      ok(showPet(shop, model.changePet(shop, petId, { name, categoryId, status }))),
  },
  updatePet: {
    sentBy: 'staff',
    rejections: ['pet_not_found', 'invalid_status_transition'],
    request: ({ petId, status }) => ({ method: 'PATCH', path: `/pets/${petId}`, body: { status } }),
    response: ({ shop, step: { petId, status } }) => ok(showPet(shop, model.changePet(shop, petId, { status }))),
  },
  deletePet: {
    sentBy: 'staff',
    rejections: ['pet_not_found', 'pet_has_open_orders'],
    request: ({ petId }) => ({ method: 'DELETE', path: `/pets/${petId}` }),
    response: ({ shop, step }) => {
      model.deletePet(shop, step.petId)
      return noContent
    },
  },
} satisfies Record<string, Operation>

const inventory = {
  listInventory: {
    sentBy: 'anyone',
    rejections: [],
    request: ({ status }) => ({ method: 'GET', path: `/store/inventory?${query({ status })}` }),
    response: ({ shop, step: { status } }) => {
      const withItem = shop.pets.filter((pet) => pet.stock !== undefined)
      const items = withItem.map((pet) => showInventoryItem(shop, pet))
      return ok(items.filter((item) => status === undefined || item.status === status))
    },
  },
  getInventoryItem: {
    sentBy: 'anyone',
    rejections: ['inventory_not_found'],
    request: ({ petId }) => ({ method: 'GET', path: `/store/inventory/${petId}` }),
    response: ({ shop, step }) => ok(showInventoryItem(shop, model.findPetWithEntry(shop, step.petId))),
  },
  setInventoryItem: {
    sentBy: 'staff',
    rejections: ['pet_not_found'],
    request: ({ petId, count }) => ({
      method: 'PUT',
      path: `/store/inventory/${petId}`,
      body: { quantity: count },
    }),
    response: ({ shop, step }) => {
      const { pet, madeTheEntry } = model.setStock(shop, step.petId, step.count)
      const item = showInventoryItem(shop, pet)
      return madeTheEntry ? created(item) : ok(item)
    },
  },
  adjustInventory: {
    sentBy: 'staff',
    rejections: ['inventory_not_found', 'insufficient_stock'],
    request: ({ petId, delta }) => ({
      method: 'POST',
      path: `/store/inventory/${petId}/adjustments`,
      body: { delta },
    }),
    response: ({ shop, step }) => ok(showInventoryItem(shop, model.adjustStock(shop, step.petId, step.delta))),
  },
  deleteInventoryItem: {
    sentBy: 'staff',
    rejections: ['inventory_not_found'],
    request: ({ petId }) => ({ method: 'DELETE', path: `/store/inventory/${petId}` }),
    response: ({ shop, step }) => {
      model.deleteEntry(shop, step.petId)
      return noContent
    },
  },
} satisfies Record<string, Operation>

const orders = {
  placeOrder: {
    sentBy: 'anyone',
    rejections: ['unknown_pet', 'pet_not_available', 'insufficient_stock'],
    request: ({ petId, quantity, complete }) => ({
      method: 'POST',
      path: '/store/orders',
      body: { petId, quantity, complete },
    }),
    response: ({ shop, newId, caller, step: { petId, quantity, complete } }) =>
      created(showOrder(model.placeOrder(shop, newId, caller, { petId, quantity, complete }))),
  },
  listOrders: {
    sentBy: 'anyone',
    rejections: [],
    request: ({ petId, complete, sort }) => ({
      method: 'GET',
      path: `/store/orders?${query({ petId, complete, sort })}`,
    }),
    response: ({ shop, caller, step: { petId, complete, sort } }) => {
      const wanted = model
        .ordersOf(shop, caller)
        .filter((order) => order.petId === petId)
        .filter((order) => complete === undefined || order.complete === complete)
      return ok(sorted(wanted.map(showOrder), sort))
    },
  },
  getOrder: {
    sentBy: 'anyone',
    rejections: ['order_not_found'],
    request: ({ orderId }) => ({ method: 'GET', path: `/store/orders/${orderId}` }),
    response: ({ shop, caller, step }) => ok(showOrder(model.findOrder(shop, caller, step.orderId))),
  },
  updateOrder: {
    sentBy: 'anyone',
    rejections: ['order_not_found', 'order_complete', 'insufficient_stock'],
    request: ({ orderId, newQuantity, complete }) => ({
      method: 'PATCH',
      path: `/store/orders/${orderId}`,
      body: { quantity: newQuantity, complete },
    }),
    response: ({ shop, caller, step: { orderId, newQuantity, complete } }) =>
      ok(showOrder(model.changeOrder(shop, caller, orderId, { quantity: newQuantity, complete }))),
  },
  cancelOrder: {
    sentBy: 'anyone',
    rejections: ['order_not_found', 'order_complete'],
    request: ({ orderId }) => ({ method: 'DELETE', path: `/store/orders/${orderId}` }),
    response: ({ shop, caller, step }) => {
      model.cancelOrder(shop, caller, step.orderId)
      return noContent
    },
  },
} satisfies Record<string, Operation>

export const operations = { ...categories, ...pets, ...inventory, ...orders }

export type Kind = keyof typeof operations

/** A query with a page size that fits every list of a sequence. */
function query(wanted: Record<string, string | number | boolean | undefined>): string {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  return ['limit=100', ...given.map(([name, value]) => `${name}=${value}`)].join('&')
}

/** Lists of the model are in the order of creation, which is the order of ids. */
function sorted<Item>(list: Item[], sort: Step['sort']): Item[] {
  return sort === '-id' ? list.toReversed() : list
}
