import { Categories } from './categories.ts'
import { Events } from './events.ts'
import { Keys } from './keys.ts'
import { Limits, Usage } from './limits.ts'
import type { PetStoreOptions, RequestOptions } from './options.ts'
import { Pets } from './pets.ts'
import { endWith } from './response.ts'
import { Store } from './store.ts'
import { Transport } from './transport.ts'
import { Webhooks } from './webhooks.ts'

/** A client of the service, for one key. */
export class PetStore {
  readonly pets: Pets
  readonly categories: Categories
  readonly store: Store
  readonly events: Events
  readonly keys: Keys
  readonly limits: Limits
  readonly usage: Usage
  readonly webhooks: Webhooks
  readonly #service: Transport

  /** Address and key are those of the environment unless given: `PETSTORE_URL` and `PETSTORE_API_KEY`. */
  constructor(options: PetStoreOptions = {}) {
    const service = new Transport(options)
    this.#service = service
    this.pets = new Pets(service)
    this.categories = new Categories(service)
    this.store = new Store(service)
    this.events = new Events(service)
    this.keys = new Keys(service)
    this.limits = new Limits(service)
    this.usage = new Usage(service)
    this.webhooks = new Webhooks(service)
  }

  /**
   * Sends any request, such as `request('GET', '/pets?limit=3')`, with the key, the limits and the retries of every call. Returns
   * the response, unread; throws a PetStoreError unless it succeeded. Timeouts end when the response begins; the signal also
   * aborts its body.
   */
  request(method: string, path: string, { query, body, cost, ...options }: RequestOptions = {}): Promise<Response> {
    return this.#service.call({ method: method.toUpperCase(), path, query, body, cost, options }, async (response) =>
      endWith(options.signal, response),
    )
  }
}
