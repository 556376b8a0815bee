export type Status = 'available' | 'pending' | 'sold'
export interface Category {
  readonly id: number
  name: string
}
export interface Pet {
  readonly id: number
  name: string
  categoryId: number
  /** The status a person set against what the stock says. */
  hold?: Status | undefined
  /** Undefined: no inventory entry. */
  stock?: number | undefined
}
export interface Order {
  readonly id: number
  readonly owner: number
  readonly petId: number
  quantity: number
  complete: boolean
}

/** Everything there is. */
export interface World {
  readonly categories: Category[]
  readonly pets: Pet[]
  readonly orders: Order[]
}

/** One request as a rule sees it. What it names may not be there: a rule asks before it touches it. */
export interface Scene extends World {
  /** As it was sent: each kind of request sends the fields it needs. */
  readonly body: Body
  /** The id the service gave to what the request made. */
  readonly newId: number
  readonly caller: number
  readonly category: Category
  readonly categoryOf: (pet: Pet) => Category | undefined
  readonly pet: Pet
  /** Undefined also when it is another client's. */
  readonly order: Order
  /** The pet of that order. */
  readonly ordered: Pet
  readonly mayRead: (order: Order) => boolean
  /** What a list is asked for: fields that must be equal, and the direction. */
  readonly wanted: Record<string, unknown>
  readonly descending: boolean
}

export interface Body {
  readonly name: string
  readonly categoryId: number
  readonly petId: number
  readonly status?: Status
  readonly quantity: number
  readonly delta: number
  readonly complete?: boolean
}

export type Refusal = (scene: Scene) => string | false

/** The code of a refusal, or the body of the answer, which may have none. */
export type Rule = (scene: Scene) => string | object | undefined

export const add = <T>(list: T[], item: T): T => list[list.push(item) - 1] as T
export const drop = <T>(list: T[], item: T): undefined => void list.splice(list.indexOf(item), 1)

/** The part of a list that was asked for, in the order asked for. */
export function listed<T extends object>({ wanted, descending }: Scene, list: T[]): T[] {
  const found = list.filter((item) =>
    Object.entries(wanted).every(([field, value]) => item[field as keyof T] === value),
  )
  return descending ? found.toReversed() : found
}
