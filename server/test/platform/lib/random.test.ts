import { expect, test } from 'bun:test'
import { randomBase62, systemRandom } from '../../../src/platform/lib/random.ts'

test('every base 62 digit is equally likely: bytes that would favour the first ones are skipped', () => {
  const given = [248, 0, 255, 61, 250, 62, 247]
  const bytes = () => Uint8Array.from(given)
  expect(randomBase62(4, { ...systemRandom, bytes })).toBe('0z0z')
})
