// Names and searches that are as expensive as possible for a trigram index or a text comparison.

const blocks = ['abcdefg', 'hijklmn', 'opqrstu', 'vwxyz01', '2345678']
const animals = ['🐶', '🐱', '🐭', '🐹']
const syllables = [
  'ba',
  'ke',
  'lo',
  'mi',
  'nu',
  'ra',
  'so',
  'ti',
  'vu',
  'wen',
  'gol',
  'den',
  'fin',
  'rex',
  'bel',
  'zor',
]

/** A hash of a number, spread over 32 bits. */
const mixed = (n: number): number => Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0

const kinds: ((n: number) => string)[] = [
  (n) => `${'a'.repeat(190)}${n}`,
  // All of these contain the same parts, each name in a different order.
  (n) => `${Array.from({ length: 27 }, (_, at) => blocks[mixed(n * 31 + at) % blocks.length]).join('')}${n}`,
  // Four bytes per character.
  (n) => `${Array.from({ length: 190 }, (_, at) => animals[(at + (at > 100 ? n : 0)) % animals.length]).join('')}${n}`,
  (n) =>
    `${Array.from({ length: 4 }, (_, at) => syllables[mixed(n * 37 + at) % syllables.length]).join('')} ${n % 1000}`,
]

export const hostileName = (n: number): string => (kinds[n % kinds.length] as (n: number) => string)(n)

export const hostileSearches: readonly string[] = [
  'a'.repeat(200),
  'a'.repeat(60),
  'aaa',
  'a'.repeat(100),
  `${'a'.repeat(100)}b`,
  `b${'a'.repeat(100)}`,
  `${'a'.repeat(100)}b${'a'.repeat(99)}`,
  'abcdefghijklmn2345678abcdefgopqrstuvwxyz01hijklmnvwxyz01',
  blocks.join('').repeat(6).slice(0, 200),
  animals.join('').repeat(25),
  `${animals.join('').repeat(25)}🐶`,
  `🐹${animals.join('').repeat(24)}`,
  'golden',
  'rexzorbel',
  'golden 123',
  '---',
  'zq',
  'nowhere',
]
