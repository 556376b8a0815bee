import type { Bit } from '../../platform/db/value.ts'

export const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

/** A pet's status, and whether a person set it against what the stock says (a hold). */
export interface StatusState {
  readonly status: PetStatus
  readonly held: Bit
}

/** The status that follows from the stock alone. Without an inventory item a pet is out of stock. */
export function statusFromStock({ stock, openOrders }: { stock: number | undefined; openOrders: number }): PetStatus {
  if (stock !== undefined && stock > 0) return 'available'
  return openOrders > 0 ? 'pending' : 'sold'
}

/** The state after the stock changed: a hold stays, any other status follows the stock. */
export const followStock = (current: StatusState, stockStatus: PetStatus): StatusState =>
  current.held ? current : { status: stockStatus, held: 0 }

/** Changes that a person may never make, whatever the stock. */
const forbidden: Record<PetStatus, readonly PetStatus[]> = { available: [], pending: [], sold: ['pending'] }

/** The state after a person sets `wanted`; undefined if that is not allowed. */
export function setManually(current: PetStatus, wanted: PetStatus, stockStatus: PetStatus): StatusState | undefined {
  if (forbidden[current].includes(wanted)) return undefined
  if (wanted === stockStatus) return { status: wanted, held: 0 }
  return wanted === 'available' ? undefined : { status: wanted, held: 1 }
}

/** A new pet: one in stock, or none if it is created as sold. Registering it as pending holds it. */
export function initialState(status: PetStatus): StatusState & { quantity: number } {
  return { status, held: status === 'pending' ? 1 : 0, quantity: status === 'sold' ? 0 : 1 }
}
