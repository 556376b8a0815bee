import type { Status } from './scene.ts'
import type { views } from './views.ts'

/** One random step: every step has every field, and each kind reads the ones it needs. */
export interface Step {
  readonly kind: Kind
  readonly who: number
  readonly category: number
  readonly pet: number
  readonly order: number
  readonly name: string
  readonly status: Status | undefined
  readonly count: number
  readonly delta: number
  readonly quantity: number
  readonly complete: boolean | undefined
  readonly descending: boolean
}

/** The ids a step's numbers stand for. */
export interface Names {
  readonly categoryId: number
  readonly petId: number
  readonly orderId: number
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: Record<string, unknown>
  /** The thing it is about, which must be there. */
  readonly of?: 'category' | 'pet' | 'inventory' | 'order'
  /** The refusal when it is not, where that is not `…_not_found`. */
  readonly missing?: string
  /** What the answer shows of the thing, or of each thing of a list. */
  readonly shows?: keyof typeof views
  /** Which part of a list is asked for, and in which direction. */
  readonly list?: { readonly wanted: Record<string, unknown>; readonly descending: boolean }
}

type Sends = (step: Step & Names) => Request

/** A list in full, with these fields asked for. */
function list(
  path: string,
  shows: Request['shows'] & string,
  wanted: Record<string, unknown>,
  descending = false,
): Request {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  const query = given.map(([name, value]) => `&${name}=${value}`).join('')
  const address = `${path}?limit=100${query}${descending ? '&sort=-id' : ''}`
  return { method: 'GET', path: address, shows, list: { wanted: Object.fromEntries(given), descending } }
}

const get = (path: string, of: Request['of'] & string, shows: Request['shows'] & string): Request => ({
  method: 'GET',
  path,
  of,
  shows,
})

/** How each kind of step is sent, what it is about and what it shows. */
export const requests = {
  createCategory: ({ name }) => ({ method: 'POST', path: '/categories', body: { name }, shows: 'category' }),
  // The newest: other sequences make categories too.
  listCategories: () => list('/categories', 'category', {}, true),
  getCategory: ({ categoryId }) => get(`/categories/${categoryId}`, 'category', 'category'),
  replaceCategory: ({ name, categoryId, descending }) => ({
    method: descending ? 'PUT' : 'PATCH',
    path: `/categories/${categoryId}`,
    body: { name },
    of: 'category',
    shows: 'category',
  }),
  deleteCategory: ({ categoryId }) => ({ method: 'DELETE', path: `/categories/${categoryId}`, of: 'category' }),
  createPet: ({ name, categoryId, status }) => ({
    method: 'POST',
    path: '/pets',
    body: { name, categoryId, status },
    shows: 'pet',
  }),
  getPet: ({ petId }) => get(`/pets/${petId}`, 'pet', 'pet'),
  getProfile: ({ petId }) => get(`/pets/${petId}/profile`, 'pet', 'profile'),
  listPets: ({ categoryId, status, descending }) => list('/pets', 'pet', { categoryId, status }, descending),
  replacePet: ({ petId, name, categoryId, status }) => ({
    method: 'PUT',
    path: `/pets/${petId}`,
    body: { name, categoryId, status },
    of: 'pet',
    shows: 'pet',
  }),
  updatePet: ({ petId, status }) => ({
    method: 'PATCH',
    path: `/pets/${petId}`,
    body: { status },
    of: 'pet',
    shows: 'pet',
  }),
  deletePet: ({ petId }) => ({ method: 'DELETE', path: `/pets/${petId}`, of: 'pet' }),
  listStock: ({ status }) => list('/store/inventory', 'item', { status }),
  getStock: ({ petId }) => get(`/store/inventory/${petId}`, 'inventory', 'item'),
  setStock: ({ petId, count }) => ({
    method: 'PUT',
    path: `/store/inventory/${petId}`,
    body: { quantity: count },
    of: 'pet',
    shows: 'item',
  }),
  deleteStock: ({ petId }) => ({ method: 'DELETE', path: `/store/inventory/${petId}`, of: 'inventory' }),
  adjustStock: ({ petId, delta }) => ({
    method: 'POST',
    path: `/store/inventory/${petId}/adjustments`,
    body: { delta },
    of: 'inventory',
    shows: 'item',
  }),
  placeOrder: ({ petId, quantity, complete }) => ({
    method: 'POST',
    path: '/store/orders',
    body: { petId, quantity, complete },
    of: 'pet',
    missing: 'unknown_pet',
    shows: 'order',
  }),
  getOrder: ({ orderId }) => get(`/store/orders/${orderId}`, 'order', 'order'),
  listOrders: ({ petId, complete, descending }) => list('/store/orders', 'order', { petId, complete }, descending),
  updateOrder: ({ orderId, quantity, complete, descending }) => ({
    method: 'PATCH',
    path: `/store/orders/${orderId}`,
    body: { complete, ...(descending && { quantity }) },
    of: 'order',
    shows: 'order',
  }),
  cancelOrder: ({ orderId }) => ({ method: 'DELETE', path: `/store/orders/${orderId}`, of: 'order' }),
} satisfies Record<string, Sends>

export type Kind = keyof typeof requests
