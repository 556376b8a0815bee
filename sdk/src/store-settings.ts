import type { StoreSettings, StoreSettingsPatch } from './names.ts'
import type { Tagged } from './operation.ts'
import type { ChangeOptions, ReadOptions } from './options.ts'
import type { Transport } from './transport.ts'

export class Settings {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /**
   * Get the settings of the shop.
   *
   * @throws PermissionDeniedError without the scope `inventory:read`
   * @throws PetStoreError for the errors of every call
   */
  get(options?: ReadOptions<StoreSettings>): Promise<Tagged<StoreSettings>> {
    return this.#service.send('get', '/store/settings', { options })
  }

  /**
   * Change the settings of the shop.
   *
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `inventory:write`
   * @throws PetStoreError for the errors of every call
   */
  update(changes: StoreSettingsPatch, options?: ChangeOptions): Promise<Tagged<StoreSettings>> {
    return this.#service.send('patch', '/store/settings', { body: changes, options })
  }
}
