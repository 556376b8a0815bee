import { expect, test } from 'bun:test'
import { library } from '../../../../examples/second-shop/library.ts'
import { defineErrors } from '../../../src/platform/api/errors.ts'
import type { Feature } from '../../../src/platform/compose/feature.ts'
import { defineShop, type ShopDefinition } from '../../../src/platform/compose/shop.ts'
import type { Migration } from '../../../src/platform/db/migration.ts'
import { sortTables, withId } from '../../../src/platform/db/table.ts'
import { petShop } from '../../../src/shop/index.ts'

const [books] = library.features as [Feature]
const [listBooks] = books.operations ?? []
if (!listBooks) throw new Error('the example has no operations')

/** The example shop with these parts replaced. */
const defineOther = (other: Partial<ShopDefinition>) => () =>
  defineShop({ ...library, features: [books], presets: {}, ...other })
const withFeature = (feature: Partial<Feature>) => defineOther({ features: [books, { name: 'shelves', ...feature }] })
const operation = { ...listBooks, id: 'listShelves', path: '/shelves' } as const
const family = { resource: 'shelf', types: ['shelf.built'], data: listBooks.responses[200]?.body, example: {} } as never

test.each([
  ['a name of the platform', withFeature({ name: 'keys' }), 'two features declare the name keys'],
  ['an operation', withFeature({ operations: [listBooks] }), 'two features declare the operation listBooks'],
  [
    'a path',
    withFeature({ operations: [{ ...listBooks, id: 'listShelves' }] }),
    'two features declare the path get /books',
  ],
  [
    'an error',
    withFeature({ errors: defineErrors({ rate_limited: { status: 429, title: '', advice: '' } }) }),
    'two features declare the error rate_limited',
  ],
  ['an event', withFeature({ events: books.events ?? [] }), 'two features declare the event book.added'],
  ['a scope', withFeature({ scopes: { 'keys:manage': '' } }), 'two features declare the scope keys:manage'],
  ['a table', withFeature({ tables: [withId('books')] }), 'two features declare the table books'],
])('a shop in which %s is declared twice is not defined', (_, define, message) => {
  expect(define).toThrow(message)
})

test.each([
  [
    'an operation with an unknown scope',
    withFeature({ operations: [{ ...operation, scope: 'shelves:read' }] }),
    'the operation listShelves uses the scope shelves:read, which no feature declares',
  ],
  [
    'an operation with an unknown error',
    withFeature({
      operations: [{ ...operation, errors: [{ code: 'shelf_full', status: 409, title: '', advice: '' }] }],
    }),
    'the operation listShelves uses the error shelf_full, which no feature declares',
  ],
  [
    'an operation with an unknown tag',
    withFeature({ operations: [{ ...operation, tag: 'Shelves' }] }),
    'the operation listShelves uses the tag Shelves, which no feature declares',
  ],
  [
    'an event with an unknown scope',
    withFeature({
      events: [{ ...(family as object), audience: { scope: 'shelves:read', about: 'shelves' } } as never],
    }),
    'the event shelf.* uses the scope shelves:read, which no feature declares',
  ],
  [
    'a preset with an unknown scope',
    defineOther({ presets: { reader: ['shelves:read'] } }),
    'the preset reader uses the scope shelves:read, which no feature declares',
  ],
])('a shop that has %s is not defined', (_, define, message) => {
  expect(define).toThrow(message)
})

test('a shop without the migrations of the platform, or with one twice, is not defined', () => {
  const [platform, own] = library.migrations as [Migration, Migration]
  for (const migrations of [[own], [platform, own, platform]])
    expect(defineOther({ migrations })).toThrow(
      'the migrations must have these of the platform, in this order: platform',
    )
  // A later migration of the platform comes after those that were released before it.
  expect(defineOther({ migrations: [own, platform] })().migrations).toEqual([own, platform])
})

test('errors are listed by status, and tables after those that they refer to', () => {
  const statuses = petShop.errors.map(({ status }) => status)
  expect(statuses).toEqual(statuses.toSorted((one, other) => one - other))
  const names = petShop.tables.map(({ name }) => name)
  for (const { name, refersTo = [] } of petShop.tables)
    for (const other of refersTo) expect(names.indexOf(name)).toBeGreaterThan(names.indexOf(other))
  const circle = [withId('one', { refersTo: ['other'] }), withId('other', { refersTo: ['one'] })]
  expect(() => sortTables(circle)).toThrow('tables refer to each other: one, other')
})
