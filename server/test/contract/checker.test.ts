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
  'Cache-Control': 'private, no-cache',
}
const category = { id: 1, name: 'Dogs' }
const error = { code: 'category_not_found', message: 'm', status: 404, requestId: 'r', docs: 'd' }

const json = { 'Content-Type': 'application/json' }
const signature = { 'webhook-id': 'evt_1_2s', 'webhook-timestamp': '1794744060', 'webhook-signature': 'v1,x' }

function check(status: number, body: unknown, headers: Record<string, string | undefined> = {}): () => void {
  const all = { ...json, ...limits, ETag: '"x"', ...headers }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = new Response(JSON.stringify(body), { status, headers: given })
  return () => contract.check('GET', '/categories/1', response, body)
}

const errorHeaders = { ETag: undefined }

function checkOutside(status: number, body: unknown, headers: Record<string, string> = {}): () => void {
  const response = new Response(JSON.stringify(body), { status, headers: { ...json, ...limits, ...headers } })
  return () => contract.check('PUT', '/nowhere', response, body)
}
const missing = { ...error, code: 'route_not_found' }

const event = {
  id: 'evt_1_2s',
  type: 'pet.deleted',
  time: '2026-11-15T12:00:00.000Z',
  data: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
}
const checkMessage = (block: string) => () => contract.checkMessage(block)
const messageOf = (fields: object) => checkMessage(`id: evt_1_2s\ndata: ${JSON.stringify({ ...event, ...fields })}`)
const checkSent =
  (fields: object, headers = signature) =>
  () =>
    contract.checkSent(headers, { ...event, ...fields })

test('a response as described passes', () => {
  expect(check(200, category)).not.toThrow()
  expect(check(404, error, errorHeaders)).not.toThrow()
  expect(checkOutside(404, missing)).not.toThrow()
  expect(messageOf({})).not.toThrow()
  expect(checkMessage(': heartbeat')).not.toThrow()
  expect(checkSent({})).not.toThrow()
})

test.each([
  ['a status', check(418, error, errorHeaders), /418: this status is not described/],
  ['a header', check(200, category, { 'X-Secret': '1' }), /the header x-secret is not described/],
  ['a field', check(200, { ...category, colour: 'red' }), /additional properties/],
  ['a header with another status', check(404, error, { ETag: '"x"' }), /the header etag is not described/],
  ['a mark of other operations', check(200, category, { 'X-Stability': 'beta' }), /x-stability is not described/],
  ['a mark on an error', check(404, error, { ...errorHeaders, Sunset: 'soon' }), /sunset is not described/],
  ['a code', check(404, { ...error, code: 'pet_not_found' }, errorHeaders), /the code pet_not_found is not described/],
  ['a content type', check(200, category, { 'Content-Type': 'application/xml' }), /application\/xml is not described/],
  ['a code outside any operation', checkOutside(404, { ...missing, code: 'gone' }), /must be equal to one of/],
  ['a header outside any operation', checkOutside(404, missing, { Allow: 'GET' }), /the header allow is not desc/],
  ['a field of an event', messageOf({ colour: 'red' }), /additional properties/],
  ['the type of an event', messageOf({ type: 'pet.sold' }), /the event pet.sold is not described/],
  ['a field of a message', checkMessage('event: pet\ndata: {}'), /"event":"pet"} is not described/],
  ['a field that a webhook is sent', checkSent({ colour: 'red' }), /additional properties/],
  ['a type that a webhook is sent', checkSent({ type: 'pet.sold' }), /pet.sold is not described/],
])('%s that is not described is a fault', (_, run, fault) => expect(run).toThrow(fault))

test.each([
  ['a header that is described as always there', check(200, category, { ETag: undefined }), /etag is missing/],
  ['a rate-limit header', check(404, error, { ...errorHeaders, 'X-RateLimit-Reset': undefined }), /reset is missing/],
  ['Retry-After with 503', checkOutside(503, { ...missing, status: 503 }), /retry-after is missing/],
  ['a whole number in a header that has one', check(200, category, { 'X-RateLimit-Limit': 'many' }), /is many/],
  ['a required field', check(200, { name: 'Dogs' }), /required property 'id'/],
  ['the right type', check(200, { id: '1', name: 'Dogs' }), /must be/],
  ['the status of the response', check(404, { ...error, status: 400 }, errorHeaders), /the error says 400/],
  ['Allow with 405', checkOutside(405, { ...missing, status: 405 }), /allow is missing/],
  ['the id of its event in a message', messageOf({ id: 'evt_1_3' }), /evt_1_2s has the event evt_1_3/],
  ['a signature', checkSent({}, { ...signature, 'webhook-signature': undefined as never }), /signature is missing/],
])('%s is required', (_, run, fault) => expect(run).toThrow(fault))
