import fc from 'fast-check'
import type { Status } from './model.ts'
import { type Kind, operations } from './operations.ts'

/** A category, pet or order: an existing one, one that was ever created, or one that never existed. */
export interface Which {
  readonly of: 'there' | 'ever made' | 'never was'
  readonly index: number
}

/** One random request. Every step has every field; each kind of request reads the ones it needs. */
export interface Step {
  readonly kind: Kind
  /** Which caller sends it, if any may. */
  readonly caller: number
  readonly category: Which
  readonly pet: Which
  readonly order: Which
  readonly name: string
  readonly status: Status | undefined
  /** The quantity of a new or changed order. */
  readonly quantity: number
  readonly newQuantity: number | undefined
  readonly complete: boolean | undefined
  /** The new stock count, and the adjustment. */
  readonly count: number
  readonly delta: number
  readonly sort: 'id' | '-id'
}

/** The weight of each kind, 1 by default: requests that create things and move stock are more frequent than others. */
const weights: Partial<Record<Kind, number>> = {
  createPet: 4,
  placeOrder: 8,
  updateOrder: 6,
  cancelOrder: 3,
  setInventoryItem: 4,
  adjustInventory: 2,
}
const anyKind = fc.oneof(
  ...(Object.keys(operations) as Kind[]).map((kind) => ({ arbitrary: fc.constant(kind), weight: weights[kind] ?? 1 })),
)
const which: fc.Arbitrary<Which> = fc.record({
  of: fc.oneof(
    { arbitrary: fc.constant<Which['of']>('there'), weight: 8 },
    { arbitrary: fc.constant<Which['of']>('ever made'), weight: 1 },
    { arbitrary: fc.constant<Which['of']>('never was'), weight: 1 },
  ),
  index: fc.nat(9),
})
const perhaps = <Value>(...values: Value[]): fc.Arbitrary<Value | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })

const stepOf = (kind: fc.Arbitrary<Kind>): fc.Arbitrary<Step> =>
  fc.record({
    kind,
    caller: fc.nat(2),
    category: which,
    pet: which,
    order: which,
    name: fc.constantFrom('Rex', 'Max', 'Ben'),
    status: perhaps<Status>('available', 'pending', 'sold'),
    quantity: fc.integer({ min: 1, max: 3 }),
    newQuantity: perhaps(1, 2, 3),
    complete: perhaps(true, false),
    count: fc.nat(5),
    delta: fc.integer({ min: -4, max: 4 }),
    sort: fc.constantFrom('id', '-id'),
  })

/** The first steps of every sequence, so that there is something to change. */
const opening: Kind[] = ['createCategory', 'createPet', 'createPet', 'setInventoryItem', 'placeOrder']

export const sequences = (stepsLeast: number): fc.Arbitrary<Step[]> => {
  const first = fc.tuple(...opening.map((kind) => stepOf(fc.constant(kind))))
  const more = fc.array(stepOf(anyKind), { minLength: stepsLeast, maxLength: stepsLeast + 20, size: 'max' })
  return fc.tuple(first, more).map(([begun, steps]) => [...begun, ...steps])
}
