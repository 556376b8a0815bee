import type { Fault } from '../../../../../../sdk/src/testing/records.ts'

/** The calls that every client can make: `read` and `edit` a pet, `order` one, all `pages` of pets, and a `wrong` request. */
type CallName = 'read' | 'pages' | 'order' | 'order-with-key' | 'edit' | 'wrong'

/** One call of a client, and what goes wrong meanwhile. */
export interface Scenario {
  readonly call: CallName
  /** Another one in each scenario, so that no call looks like a retry of an earlier one. */
  readonly petId: number
  readonly faults?: readonly Fault[]
}

/** Longer than the five seconds after which every client gives a request up. */
const latencyMs = 10_000
/** Longer than the first wait of any client that does not read it. */
const retryAfterSeconds = 2

const read = (petId: number, fault: Omit<Fault, 'operation'>): Scenario => ({
  call: 'read',
  petId,
  faults: [{ operation: 'getPetProfile', ...fault }],
})
const order = (call: CallName, petId: number, fault: Omit<Fault, 'operation'>): Scenario => ({
  call,
  petId,
  faults: [{ operation: 'placeOrder', times: 1, ...fault }],
})

/** The exam: the same for every client, in this order, in one sandbox. */
export const scenarios: readonly Scenario[] = [
  { call: 'pages', petId: 0 },
  { call: 'wrong', petId: 0 },
  read(1, { fault: 'unavailable', times: 2, retryAfterSeconds }),
  // The service sends a 500 without Retry-After.
  read(2, { fault: 'internal_error', times: 3 }),
  read(4, { fault: 'internal_error', times: 3 }),
  read(6, { fault: 'cut', times: 4 }),
  read(7, { fault: 'cut', times: 4 }),
  read(13, { fault: 'cut', times: 4 }),
  read(14, { fault: 'cut', times: 4 }),
  read(8, { fault: 'slow', times: 1, latencyMs }),
  order('order', 23, { fault: 'unavailable', retryAfterSeconds }),
  order('order', 24, { fault: 'cut_after' }),
  order('order', 25, { fault: 'slow', latencyMs }),
  order('order-with-key', 26, { fault: 'unavailable', retryAfterSeconds }),
  order('order-with-key', 27, { fault: 'cut_after' }),
  order('order-with-key', 28, { fault: 'slow', latencyMs }),
  { call: 'edit', petId: 9 },
  { call: 'edit', petId: 10, faults: [{ operation: 'updatePet', fault: 'precondition_failed', times: 1 }] },
  // The last one: after it, a client should send nothing for a while.
  read(12, { fault: 'rate_limited', times: 1, retryAfterSeconds }),
]
