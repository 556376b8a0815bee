import { Inventory } from './inventory.ts'
import type { GetStoreSummaryQuery, StoreSummary } from './names.ts'
import type { CallOptions } from './options.ts'
import { Orders } from './orders.ts'
import { Settings } from './store-settings.ts'
import type { Transport } from './transport.ts'

export class Store {
  readonly orders: Orders
  readonly inventory: Inventory
  readonly settings: Settings
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
    this.orders = new Orders(service)
    this.inventory = new Inventory(service)
    this.settings = new Settings(service)
  }

  /**
   * The whole shop in figures: orders by hour, pets by status, low stock.
   *
   * @throws PermissionDeniedError without the scope `orders:all`
   * @throws PetStoreError for the errors of every call
   */
  summary(query: GetStoreSummaryQuery = {}, options?: CallOptions): Promise<StoreSummary> {
    return this.#service.send('get', '/store/summary', { query, options })
  }
}
