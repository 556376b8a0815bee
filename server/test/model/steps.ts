import fc from 'fast-check'
import { type Kind, requests, type Step } from './requests.ts'
import type { Status } from './scene.ts'

// What makes things and moves stock comes up more often than what reads or removes them.
const often: Kind[] = ['createPet', 'placeOrder', 'placeOrder', 'placeOrder', 'updateOrder', 'setStock', 'adjustStock']

const step = (...kinds: Kind[]): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    who: fc.nat(2),
    category: fc.nat(3),
    pet: fc.nat(5),
    order: fc.nat(8),
    name: fc.constantFrom('Rex', 'Max', 'Ben'),
    status: fc.constantFrom<(Status | undefined)[]>(undefined, undefined, 'available', 'pending', 'sold'),
    count: fc.nat(5),
    delta: fc.integer({ min: -4, max: 4 }),
    quantity: fc.integer({ min: 1, max: 3 }),
    complete: fc.constantFrom(undefined, undefined, true, false),
    descending: fc.boolean(),
  })

/** A category, then anything: without one nothing else can be made. */
export const steps = (least: number): fc.Arbitrary<Step[]> =>
  fc
    .tuple(
      step('createCategory'),
      fc.array(step(...(Object.keys(requests) as Kind[]), ...often), {
        minLength: least,
        maxLength: least + 20,
        size: 'max',
      }),
    )
    .map(([first, rest]) => [first, ...rest])
