import type { Model, Pet, Status } from './model.ts'

/** One random step: every step has every field, and each kind reads the ones it needs. */
export interface Fields {
  who: number
  category: number
  pet: number
  order: number
  name: string
  status: Status | undefined
  count: number
  delta: number
  quantity: number
  complete: boolean | undefined
  descending: boolean
}

/** What a step sees of the run: the ids its numbers stand for, and who calls. */
export interface Names {
  readonly categoryId: number
  readonly petId: number
  readonly orderId: number
  readonly keyId: number
  /** Undefined for a caller that may see everyone's orders. */
  readonly owner: number | undefined
}

export interface Play {
  readonly by?: 'staff'
  readonly request: (step: Fields, names: Names) => [method: string, path: string, body?: unknown]
  /** Plays the step on the model; `id` is the one the service gave to what it made. A refusal's code, or the body. */
  readonly expected: (model: Model, step: Fields, names: Names, id: number) => string | { body: unknown } | undefined
}

export const showPet = (id: number, { name, categoryId, status }: Pet) => ({ id, name, categoryId, status })
export const petOf = (model: Model, id: number) => showPet(id, model.pets.get(id) as Pet)
export const categoryOf = (model: Model, id: number) => ({ id, ...model.categories.get(id) })
export const itemOf = (model: Model, petId: number) => {
  const { stock, status } = model.pets.get(petId) as Pet
  return { petId, quantity: stock, status }
}
export const orderOf = (model: Model, id: number) => {
  const { owner: _, ...order } = model.orders.get(id) as NonNullable<ReturnType<Model['orders']['get']>>
  return { id, ...order }
}
export const sorted = <T>(rows: T[], { descending }: Fields) => ({ body: descending ? rows.toReversed() : rows })
