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
  readonly pet: Pet
  /** The pet, if it has an inventory entry. */
  readonly inventory: Pet
  /** Undefined also when it is another client's. */
  readonly order: Order
  /** The pet of that order. */
  readonly ordered: Pet
  readonly mayRead: (order: Order) => boolean
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

/** The code of a refusal, or what was changed. */
export type Rule = (scene: Scene) => string | object | undefined

export const add = <T>(list: T[], item: T): T => list[list.push(item) - 1] as T
export const drop = <T>(list: T[], item: T): undefined => void list.splice(list.indexOf(item), 1)
