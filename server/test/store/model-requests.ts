import type { rules } from './model.ts'
import type { Status } from './model-scene.ts'

export type Kind = keyof typeof rules

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

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: Record<string, unknown>
  /** What a list is asked for. */
  readonly wanted?: Record<string, unknown>
}

type Sends = (step: Step & Names) => Request

/** A list in full, with these fields asked for. */
function list(path: string, wanted: Record<string, unknown>, descending: boolean): Request {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  const query = given.map(([name, value]) => `&${name}=${value}`).join('')
  return {
    method: 'GET',
    path: `${path}?limit=100${query}${descending ? '&sort=-id' : ''}`,
    wanted: Object.fromEntries(given),
  }
}

/** How each kind of step is sent. */
export const requests: Record<Kind, Sends> = {
  createCategory: ({ name }) => ({ method: 'POST', path: '/categories', body: { name } }),
  getCategory: ({ categoryId }) => ({ method: 'GET', path: `/categories/${categoryId}` }),
  replaceCategory: ({ name, categoryId, descending }) => ({
    method: descending ? 'PUT' : 'PATCH',
    path: `/categories/${categoryId}`,
    body: { name },
  }),
  deleteCategory: ({ categoryId }) => ({ method: 'DELETE', path: `/categories/${categoryId}` }),
  createPet: ({ name, categoryId, status }) => ({ method: 'POST', path: '/pets', body: { name, categoryId, status } }),
  getPet: ({ petId }) => ({ method: 'GET', path: `/pets/${petId}` }),
  getProfile: ({ petId }) => ({ method: 'GET', path: `/pets/${petId}/profile` }),
  listPets: ({ categoryId, status, descending }) => list('/pets', { categoryId, status }, descending),
  replacePet: ({ petId, name, categoryId, status }) => ({
    method: 'PUT',
    path: `/pets/${petId}`,
    body: { name, categoryId, status },
  }),
  updatePet: ({ petId, status }) => ({ method: 'PATCH', path: `/pets/${petId}`, body: { status } }),
  deletePet: ({ petId }) => ({ method: 'DELETE', path: `/pets/${petId}` }),
  getStock: ({ petId }) => ({ method: 'GET', path: `/store/inventory/${petId}` }),
  setStock: ({ petId, count }) => ({ method: 'PUT', path: `/store/inventory/${petId}`, body: { quantity: count } }),
  deleteStock: ({ petId }) => ({ method: 'DELETE', path: `/store/inventory/${petId}` }),
  adjustStock: ({ petId, delta }) => ({
    method: 'POST',
    path: `/store/inventory/${petId}/adjustments`,
    body: { delta },
  }),
  placeOrder: ({ petId, quantity, complete }) => ({
    method: 'POST',
    path: '/store/orders',
    body: { petId, quantity, complete },
  }),
  getOrder: ({ orderId }) => ({ method: 'GET', path: `/store/orders/${orderId}` }),
  listOrders: ({ petId, complete, descending }) => list('/store/orders', { petId, complete }, descending),
  updateOrder: ({ orderId, quantity, complete, descending }) => ({
    method: 'PATCH',
    path: `/store/orders/${orderId}`,
    body: { complete, ...(descending && { quantity }) },
  }),
  cancelOrder: ({ orderId }) => ({ method: 'DELETE', path: `/store/orders/${orderId}` }),
}
