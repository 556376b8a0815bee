import type { Bit, PetStatus } from '../db/tables.ts'

/** A pet's status, and whether a person holds it against what the stock says. */
export interface Standing {
  readonly status: PetStatus
  readonly held: Bit
}

/** What the stock alone says of a pet; a pet without an inventory entry counts as out of stock. */
export function stockSays({ stock, openOrders }: { stock: number | undefined; openOrders: number }): PetStatus {
  if (stock !== undefined && stock > 0) return 'available'
  return openOrders > 0 ? 'pending' : 'sold'
}

/** The status after the stock has changed: a hold stays, everything else follows the stock. */
export const afterStockChange = (current: Standing, says: PetStatus): Standing =>
  current.held ? current : { status: says, held: 0 }

/** Moves that a person may not make, whatever the stock says. */
const refused: Record<PetStatus, readonly PetStatus[]> = { available: [], pending: [], sold: ['pending'] }

/** The status after a person has set `wanted`, or undefined when that move is refused. */
export function setByHand(current: PetStatus, wanted: PetStatus, says: PetStatus): Standing | undefined {
  if (refused[current].includes(wanted)) return undefined
  if (wanted === says) return { status: wanted, held: 0 }
  return wanted === 'available' ? undefined : { status: wanted, held: 1 }
}

/** A new pet: one in stock, none when it arrives sold. Arriving pending is a hold. */
export function registered(status: PetStatus): Standing & { quantity: number } {
  return { status, held: status === 'pending' ? 1 : 0, quantity: status === 'sold' ? 0 : 1 }
}
