import { expect, test } from 'bun:test'
import { readApiKey } from '../../../src/platform/access/gate.ts'
import { isNotModified } from '../../../src/platform/api/etag.ts'
import { parseJson } from '../../../src/platform/api/json.ts'
import { petShop } from '../../../src/shop/index.ts'
import { acceptsEncoding, acceptsResponse, prefersJson } from '../../../src/surfaces/http/request.ts'
import { missingPage } from '../../../src/surfaces/pages/site.ts'

// Texts that make a careless regular expression backtrack from every character. Reading them must take linear time: quadratic time
// would be hours here, and the test would time out.

const length = 3_000_000
const long = (text: string) => text.repeat(length / text.length)
const parsed = (number: string) => parseJson(`{"id":${number}}`)
const missing = missingPage({ root: '', baseUrl: '', links: [], shop: petShop })

const cases: [what: string, read: () => unknown, expected: unknown][] = [
  ['zeros around a digit', () => parsed(`1${long('0')}1${long('0')}e5`), { id: Number.NaN }],
  ['zeros around a point', () => parsed(`1${long('0')}1.${long('0')}1`), { id: Number.NaN }],
  ['zeros after a point', () => parsed(`0.${long('0')}1${long('0')}1`), { id: Number.NaN }],
  ['every other digit a zero', () => parsed(`${long('10')}1`), { id: Number.NaN }],
  ['spaces after gzip', () => acceptsEncoding(`gzip${long(' ')}x`, 'gzip'), false],
  ['spaces in Accept', () => acceptsResponse(`text/html${long(' ')};q=1`, 'application/json'), false],
  ['semicolons in Accept', () => prefersJson(`application/json${long(';')}`), true],
  ['a tag that does not end', () => isNotModified(`W/"${long('W/')}`, '"tag"'), false],
  ['spaces after Bearer', () => readApiKey(undefined, `Bearer a${long(' ')}b`), undefined],
  ['slashes in a path', () => location(`/docs${long('/')}x//`)?.endsWith('//x'), true],
]

const location = (path: string) => missing(new Request('http://petstore.test'), path)?.headers.get('location')

test.each(cases)('%s', (_, read, expected) => {
  expect(read()).toEqual(expected)
})
