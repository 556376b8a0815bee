import fc from 'fast-check'
import type { Status } from './model.ts'
import { cataloguePlays } from './model-catalogue.ts'
import type { Fields, Play } from './model-play.ts'
import { storePlays } from './model-store.ts'

const plays = { ...cataloguePlays, ...storePlays }

export type Kind = keyof typeof plays
export interface Step extends Fields {
  kind: Kind
}

export const playOf = (kind: Kind): Play => plays[kind]

// What makes things and moves stock comes up more often than what reads or removes them.
const often: Kind[] = ['createPet', 'placeOrder', 'placeOrder', 'placeOrder', 'updateOrder', 'setStock', 'adjustStock']

export const steps = (least: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      kind: fc.constantFrom(...(Object.keys(plays) as Kind[]), ...often),
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
    }),
    { minLength: least, maxLength: least + 20, size: 'max' },
  )
