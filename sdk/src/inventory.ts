import { type List, listAt } from './list.ts'
import type {
  InventoryItem,
  InventoryUpdate,
  ListInventoryQuery,
  ListMovementsQuery,
  StockAdjustment,
  StockCount,
  StockMovement,
} from './names.ts'
import type { Tagged } from './operation.ts'
import type { CallOptions, ChangeOptions, PostOptions, ReadOptions } from './options.ts'
import type { Transport } from './transport.ts'

export interface SetOptions extends ChangeOptions {
  /** Only if the pet has no stock record yet; 412 otherwise. */
  readonly onlyNew?: boolean | undefined
}

export class Inventory {
  readonly #service: Transport

  constructor(service: Transport) {
    this.#service = service
  }

  /**
   * List stock counts.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws PermissionDeniedError without the scope `inventory:read`
   * @throws PetStoreError for the errors of every call
   */
  list(query: ListInventoryQuery = {}, options?: CallOptions): List<InventoryItem> {
    return listAt(this.#service, '/store/inventory', { query, options })
  }

  /**
   * Get a stock count.
   *
   * @throws NotFoundError `inventory_not_found`
   * @throws PermissionDeniedError without the scope `inventory:read`
   * @throws PetStoreError for the errors of every call
   */
  get(petId: number, options?: ReadOptions<InventoryItem>): Promise<Tagged<InventoryItem>> {
    return this.#service.send('get', '/store/inventory/{petId}', { params: { petId }, options })
  }

  /**
   * Sets the count; creates the stock record if missing.
   *
   * @throws NotFoundError `pet_not_found`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `inventory:write`
   * @throws PetStoreError for the errors of every call
   */
  set(
    petId: number,
    update: InventoryUpdate,
    { onlyNew = false, ...options }: SetOptions = {},
  ): Promise<Tagged<InventoryItem>> {
    return this.#service.send('put', '/store/inventory/{petId}', {
      params: { petId },
      body: update,
      options,
      headers: onlyNew ? { 'If-None-Match': '*' } : {},
    })
  }

  /**
   * Sets up to 100 counts, all or none. Each costs one request.
   *
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `unknown_pet`
   * @throws PermissionDeniedError without the scope `inventory:write`
   * @throws PetStoreError for the errors of every call
   */
  setMany(counts: readonly StockCount[], options?: CallOptions): Promise<readonly InventoryItem[]> {
    return this.#service.send('patch', '/store/inventory', {
      body: [...counts],
      cost: Math.max(1, counts.length),
      options,
    })
  }

  /**
   * Adds to the count or subtracts from it; never below zero.
   *
   * @throws NotFoundError `inventory_not_found`
   * @throws ConflictError `idempotency_in_progress`, `insufficient_stock`, `stock_limit`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws InvalidRequestError `idempotency_key_reused`
   * @throws PermissionDeniedError without the scope `inventory:write`
   * @throws PetStoreError for the errors of every call
   */
  adjust(
    petId: number,
    adjustment: StockAdjustment,
    options?: PostOptions & ChangeOptions,
  ): Promise<Tagged<InventoryItem>> {
    return this.#service.send('post', '/store/inventory/{petId}/adjustments', {
      params: { petId },
      body: adjustment,
      options,
    })
  }

  /**
   * Delete an inventory item.
   *
   * @throws NotFoundError `inventory_not_found`
   * @throws PreconditionFailedError `precondition_failed`
   * @throws PermissionDeniedError without the scope `inventory:write`
   * @throws PetStoreError for the errors of every call
   */
  delete(petId: number, options?: ChangeOptions): Promise<void> {
    return this.#service.send('delete', '/store/inventory/{petId}', { params: { petId }, options })
  }

  /**
   * The stock movements of a pet, newest first.
   *
   * @throws InvalidRequestError `invalid_cursor`
   * @throws NotFoundError `pet_not_found`
   * @throws PermissionDeniedError without the scope `inventory:read`
   * @throws PetStoreError for the errors of every call
   */
  movements(petId: number, query: ListMovementsQuery = {}, options?: CallOptions): List<StockMovement> {
    return listAt(this.#service, '/store/inventory/{petId}/movements', { params: { petId }, query, options })
  }
}
