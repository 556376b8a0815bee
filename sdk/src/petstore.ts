import { Categories } from './categories.ts'
import { Events } from './events.ts'
import { Inventory } from './inventory.ts'
import { Keys } from './keys.ts'
import { Limits, Usage } from './limits.ts'
import type { PetStoreOptions } from './options.ts'
import { Orders } from './orders.ts'
import { Pets } from './pets.ts'
import { Transport } from './transport.ts'
import { Webhooks } from './webhooks.ts'

/** A client of the service, for one key. */
export class PetStore {
  readonly pets: Pets
  readonly categories: Categories
  readonly store: { readonly orders: Orders; readonly inventory: Inventory }
  readonly events: Events
  readonly keys: Keys
  readonly limits: Limits
  readonly usage: Usage
  readonly webhooks: Webhooks

  constructor(options: PetStoreOptions) {
    const service = new Transport(options)
    this.pets = new Pets(service)
    this.categories = new Categories(service)
    this.store = { orders: new Orders(service), inventory: new Inventory(service) }
    this.events = new Events(service)
    this.keys = new Keys(service)
    this.limits = new Limits(service)
    this.usage = new Usage(service)
    this.webhooks = new Webhooks(service)
  }
}
