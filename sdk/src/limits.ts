import type { LimitWindows } from './limit-headers.ts'
import type { GetUsageQuery, LimitStatus, UsageEntry } from './names.ts'
import type { CallOptions } from './options.ts'
import type { Transport } from './transport.ts'

export class Limits {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /** What is left according to the responses so far; undefined before the first. */
  get last(): LimitWindows | undefined {
    return this.#service.gate.last
  }

  /**
   * What is left, and the ban if there is one. Costs no quota and works while banned.
   *
   * @throws PetStoreError for the errors of every call
   */
  get(options?: CallOptions): Promise<LimitStatus> {
    return this.#service.send('get', '/limits', { options, cost: 0 })
  }
}

export class Usage {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /**
   * How many requests a key made, by hour or by day.
   *
   * @throws NotFoundError `key_not_found`
   * @throws PermissionDeniedError if the key may not do this
   * @throws PetStoreError for the errors of every call
   */
  get(query: GetUsageQuery = {}, options?: CallOptions): Promise<readonly UsageEntry[]> {
    return this.#service.send('get', '/usage', { query, options })
  }
}
