import { categories } from './categories.ts'
import { inventory } from './inventory.ts'
import { keys } from './keys.ts'
import type { Limits } from './limit-headers.ts'
import type { Query } from './operation.ts'
import type { CallOptions, PetStoreOptions } from './options.ts'
import { orders } from './orders.ts'
import { pets } from './pets.ts'
import type { LimitStatus, UsageEntry } from './schemas.ts'
import { Transport } from './transport.ts'

/** A client of the service. Have one for each key: what it knows of the limits is shared by all its calls. */
export class PetStore {
  readonly pets
  readonly categories
  readonly store
  readonly keys
  readonly limits
  readonly usage

  constructor(options: PetStoreOptions) {
    const service = new Transport(options)
    this.pets = pets(service)
    this.categories = categories(service)
    this.store = { orders: orders(service), inventory: inventory(service) }
    this.keys = keys(service)
    this.limits = limits(service)
    this.usage = {
      /** How many requests a key has made, by hour or by day. */
      get: (query: Query<'get', '/usage'> = {}, call?: CallOptions): Promise<readonly UsageEntry[]> =>
        service.send('get', '/usage', { query, options: call }),
    }
  }
}

const limits = (service: Transport) => ({
  /** What the answers so far said is left; undefined before the first. */
  get last(): Limits | undefined {
    return service.gate.last
  },

  /** What is left, and the ban where there is one. Costs no quota and works while banned. */
  get: (options?: CallOptions): Promise<LimitStatus> => service.send('get', '/limits', { options, cost: 0 }),
})
