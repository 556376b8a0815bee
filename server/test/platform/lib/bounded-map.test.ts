import { expect, test } from 'bun:test'
import { BoundedMap } from '../../../src/platform/lib/bounded-map.ts'

test('it keeps used entries, evicts unused ones, and never exceeds its size', () => {
  const map = new BoundedMap<number, string>(100)
  for (let key = 0; key < 10_000; key++) {
    map.set(key, `value ${key}`)
    expect(map.get(0)).toBe('value 0')
  }
  const kept = Array.from({ length: 10_000 }, (_, key) => key).filter((key) => map.get(key) !== undefined)
  expect(kept.length).toBeLessThanOrEqual(100)
  expect(kept).toContain(9_999)
})

test('the last value set is found, even if an older one is in the old generation', () => {
  const map = new BoundedMap<string, number>(4)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  map.set('a', 10)
  expect(map.get('a')).toBe(10)
  map.deleteWhere((value) => value === 10)
  expect(map.get('a')).toBeUndefined()
})

test('deleted entries are gone from both generations', () => {
  const map = new BoundedMap<number, string>(10)
  for (let key = 0; key < 8; key++) map.set(key, key % 2 === 0 ? 'even' : 'odd')
  map.deleteWhere((value) => value === 'even')
  expect(Array.from({ length: 8 }, (_, key) => map.get(key)).filter((value) => value === 'even')).toEqual([])
  map.clear()
  expect(map.get(7)).toBeUndefined()
})
