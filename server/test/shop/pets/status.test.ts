import { expect, test } from 'bun:test'
import {
  followStock,
  initialState,
  type PetStatus,
  setManually,
  statusFromStock,
} from '../../../src/shop/pets/status.ts'

const statuses: PetStatus[] = ['available', 'pending', 'sold']

test('the status that follows from the stock', () => {
  expect(statusFromStock({ stock: 1, openOrders: 0 })).toBe('available')
  expect(statusFromStock({ stock: 1, openOrders: 1 })).toBe('available')
  expect(statusFromStock({ stock: 0, openOrders: 1 })).toBe('pending')
  expect(statusFromStock({ stock: 0, openOrders: 0 })).toBe('sold')
})

test('a stock change updates the status unless the pet is held', () => {
  for (const status of statuses) {
    for (const says of statuses) {
      expect(followStock({ status, held: 0 }, says)).toEqual({ status: says, held: 0 })
      expect(followStock({ status, held: 1 }, says)).toEqual({ status, held: 1 })
    }
  }
})

// Every manual change: the status that follows from the stock, from, to, and the result.
const moves: [says: PetStatus, from: PetStatus, to: PetStatus, outcome: 'follows' | 'held' | 'rejected'][] = [
  ['available', 'available', 'available', 'follows'],
  ['available', 'available', 'pending', 'held'],
  ['available', 'available', 'sold', 'held'],
  ['available', 'pending', 'available', 'follows'],
  ['available', 'pending', 'pending', 'held'],
  ['available', 'pending', 'sold', 'held'],
  ['available', 'sold', 'available', 'follows'],
  ['available', 'sold', 'pending', 'rejected'],
  ['available', 'sold', 'sold', 'held'],
  ['pending', 'available', 'available', 'rejected'],
  ['pending', 'available', 'pending', 'follows'],
  ['pending', 'available', 'sold', 'held'],
  ['pending', 'pending', 'available', 'rejected'],
  ['pending', 'pending', 'pending', 'follows'],
  ['pending', 'pending', 'sold', 'held'],
  ['pending', 'sold', 'available', 'rejected'],
  ['pending', 'sold', 'pending', 'rejected'],
  ['pending', 'sold', 'sold', 'held'],
  ['sold', 'available', 'available', 'rejected'],
  ['sold', 'available', 'pending', 'held'],
  ['sold', 'available', 'sold', 'follows'],
  ['sold', 'pending', 'available', 'rejected'],
  ['sold', 'pending', 'pending', 'held'],
  ['sold', 'pending', 'sold', 'follows'],
  ['sold', 'sold', 'available', 'rejected'],
  ['sold', 'sold', 'pending', 'rejected'],
  ['sold', 'sold', 'sold', 'follows'],
]

test('the table of manual changes is complete', () => {
  expect(new Set(moves.map(([says, from, to]) => `${says} ${from} ${to}`)).size).toBe(statuses.length ** 3)
})

for (const [says, from, to, outcome] of moves) {
  test(`${says} by stock: ${from} → ${to} is ${outcome}`, () => {
    const expected = outcome === 'rejected' ? undefined : { status: to, held: outcome === 'held' ? 1 : 0 }
    expect(setManually(from, to, says)).toEqual(expected as never)
  })
}

test('a new pet has one in stock, none if it is sold, and is held if it is pending', () => {
  expect(initialState('available')).toEqual({ status: 'available', held: 0, quantity: 1 })
  expect(initialState('pending')).toEqual({ status: 'pending', held: 1, quantity: 1 })
  expect(initialState('sold')).toEqual({ status: 'sold', held: 0, quantity: 0 })
})
