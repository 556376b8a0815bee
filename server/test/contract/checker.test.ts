import { afterAll, expect, test } from 'bun:test'
import { startService } from '../harness/service.ts'

// The checker that every other test relies on must not accept anything the description does not allow.

const service = await startService()
afterAll(() => service.stop())
const { contract } = service

const limits = {
  'X-Request-Id': 'r',
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': '1794744060',
  RateLimit: '"minute";r=59;t=42,"day";r=999;t=51234',
  'RateLimit-Policy': '"minute";q=60;w=60,"day";q=1000;w=86400',
}
const category = { id: 1, name: 'Dogs' }
const error = { code: 'category_not_found', message: 'm', status: 404, requestId: 'r', docs: 'd' }

function check(status: number, body: unknown, headers: Record<string, string | undefined> = {}): () => void {
  const all = { 'Content-Type': 'application/json', ...limits, ETag: '"x"', ...headers }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = new Response(JSON.stringify(body), { status, headers: given })
  return () => contract.check('GET', '/categories/1', response, body)
}

const errorHeaders = { ETag: undefined }

test('a response as described passes', () => {
  expect(check(200, category)).not.toThrow()
  expect(check(404, error, errorHeaders)).not.toThrow()
})

test.each([
  ['a status', check(418, error, errorHeaders), /418: this status is not described/],
  ['a header', check(200, category, { 'X-Secret': '1' }), /the header x-secret is not described/],
  ['a field', check(200, { ...category, colour: 'red' }), /additional properties/],
  ['a code', check(404, { ...error, code: 'pet_not_found' }, errorHeaders), /the code pet_not_found is not described/],
  ['a content type', check(200, category, { 'Content-Type': 'application/xml' }), /application\/xml is not described/],
])('%s that is not described is a fault', (_, run, fault) => expect(run).toThrow(fault))

test.each([
  ['a header that is described as always there', check(200, category, { ETag: undefined }), /etag is missing/],
  ['a rate-limit header', check(404, error, { ...errorHeaders, 'X-RateLimit-Reset': undefined }), /reset is missing/],
  ['a whole number in a header that has one', check(200, category, { 'X-RateLimit-Limit': 'many' }), /is many/],
  ['a required field', check(200, { name: 'Dogs' }), /required property 'id'/],
  ['the right type', check(200, { id: '1', name: 'Dogs' }), /must be/],
])('%s is required', (_, run, fault) => expect(run).toThrow(fault))
