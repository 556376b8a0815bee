import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { breaksOf } from './description-breaks.ts'
import type { OpenapiDocument } from './openapi-document.ts'
import { newestOf } from './released-description.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const limit = { $ref: '#/components/parameters/Limit' }
const status = { name: 'status', in: 'query', style: 'form', explode: true, schema: ref('Status') }
const link = { required: true, schema: { type: 'string' } }
const pets = json({ type: 'array', items: ref('Pet') })

/** A description with one of everything that a release promises. */
const released = {
  info: { version: '1.0.0' },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        'x-required-scope': 'pets:read',
        parameters: [limit, status],
        responses: { 200: { headers: { Link: link }, ...pets }, 404: { $ref: '#/components/responses/NotFound' } },
      },
      post: {
        operationId: 'createPet',
        requestBody: { required: false, ...json(ref('NewPet')) },
        responses: { 201: json(ref('Pet')) },
      },
    },
    '/pets/{petId}': {
      get: { operationId: 'getPet', 'x-deprecated-sunset': '2027-06-30', responses: { 200: json(ref('Pet')) } },
    },
    '/counts': { get: { operationId: 'countPets', 'x-stability': 'beta', responses: {} } },
  },
  components: {
    securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    parameters: { Limit: { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } } },
    responses: { NotFound: json(ref('Error')) },
    schemas: {
      Status: { type: 'string', enum: ['available', 'sold'] },
      NewPet: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 200, pattern: '.' },
          note: { type: 'string', nullable: true },
          stock: { type: 'integer', default: 1 },
          status: ref('Status'),
        },
        required: ['name'],
      },
      Animal: {
        type: 'object',
        properties: {
          name: { type: 'string', maxLength: 200 },
          sizes: { type: 'object', additionalProperties: { type: 'integer' } },
        },
        required: ['name'],
      },
      Pet: { allOf: [ref('Animal'), { type: 'object', properties: { id: { type: 'integer', format: 'int64' } } }] },
      Error: {
        type: 'object',
        properties: {
          code: { type: 'string', enum: ['not_found'] },
          cause: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
        },
        required: ['code'],
      },
    },
  },
} as unknown as OpenapiDocument

/** The breaking changes when one thing in the description is replaced or, without a value, removed. */
function breaksAfter(path: string, value?: unknown, today = '2026-11-15'): string[] {
  const current = structuredClone(released)
  const steps = path.split(' ')
  // biome-ignore lint/suspicious/noExplicitAny: a path may lead anywhere
  const owner = steps.slice(0, -1).reduce<any>((inner, step) => inner[step], current)
  owner[steps.at(-1) as string] = value
  return breaksOf(released, JSON.parse(JSON.stringify(current)) as OpenapiDocument, today)
}

const list = 'paths /pets get'
const create = 'paths /pets post'
const maximum = 'components parameters Limit schema maximum'

test.each([
  ['an operation', list, undefined, 'GET /pets is gone'],
  ['its name', `${list} operationId`, 'pets', 'GET /pets was called listPets and is called pets'],
  ['its scope', `${list} x-required-scope`, 'all', 'GET /pets asks for the scope all'],
  ['its stability', `${list} x-stability`, 'beta', 'GET /pets was stable and is beta'],
  [
    'a sunset',
    'paths /pets/{petId} get x-deprecated-sunset',
    '2027-01-01',
    'GET /pets/{petId} ends earlier than was said',
  ],
  [
    'a security scheme',
    'components securitySchemes ApiKey name',
    'Key',
    'The security scheme ApiKey is gone or another one',
  ],
  ['a parameter', `${list} parameters`, [limit], 'GET /pets, parameter status (query) is gone'],
  ['a style', `${list} parameters 1 explode`, false, 'GET /pets, parameter status (query) is written in another way'],
  ['a bound', maximum, 50, 'GET /pets, parameter limit (query): maximum was 100 and is 50'],
  ['the body', `${create} requestBody`, undefined, 'POST /pets, body as application/json is gone'],
  ['a response', `${list} responses 404`, undefined, 'GET /pets, response 404 is gone'],
  ['its form', `${create} responses 201 content`, {}, 'POST /pets, response 201 as application/json is gone'],
  ['a header', `${list} responses 200 headers`, {}, 'GET /pets, response 200, header Link is gone'],
])('%s that is removed or changed is a break', (_, path, value, text) =>
  expect(breaksAfter(path, value)).toEqual([text]),
)

test.each([
  ['a parameter', 'components parameters Limit required', true, 'GET /pets, parameter limit (query) is newly required'],
  [
    'a new one',
    `${list} parameters 2`,
    { ...status, name: 'q', required: true },
    'GET /pets, parameter q (query) is newly required',
  ],
  ['the body', `${create} requestBody required`, true, 'POST /pets, body is newly required'],
  [
    'a header',
    `${list} responses 200 headers Link required`,
    false,
    'GET /pets, response 200, header Link may be missing',
  ],
  ['a success', `${create} responses 200`, pets, 'POST /pets, response 200 is an unexpected success'],
])('%s that clients now have to send, or to expect, is a break', (_, path, value, text) =>
  expect(breaksAfter(path, value)).toEqual([text]),
)

test.each([
  ['a field that is newly required', 'required', ['name', 'stock'], '.stock is newly required'],
  ['a field that is gone', 'properties note', undefined, '.note is gone'],
  ['another type', 'properties stock type', 'string', '.stock: type was "integer" and is "string"'],
  ['a format', 'properties note format', 'date', '.note: format was not there and is "date"'],
  ['no null', 'properties note nullable', false, '.note: nullable was true and is false'],
  ['a lower bound', 'properties name maxLength', 100, '.name: maxLength was 200 and is 100'],
  ['a higher bound', 'properties name minLength', 2, '.name: minLength was 1 and is 2'],
  ['a new bound', 'properties stock maximum', 9, '.stock: maximum was not there and is 9'],
  ['another pattern', 'properties name pattern', '^a', '.name: pattern was "." and is "^a"'],
  ['a list of values', 'properties note enum', ['a'], '.note: enum was not there and is ["a"]'],
  ['another default', 'properties stock default', 2, '.stock: default was 1 and is 2'],
  [
    'a type without its name',
    'properties status',
    { type: 'string' },
    '.status is no longer a Status, a name that generated clients have',
  ],
])('in what is sent, %s is a break', (_, path, value, text) =>
  expect(breaksAfter(`components schemas NewPet ${path}`, value)).toEqual([`NewPet (sent)${text}`]),
)

test('in what is sent, a value that is gone is a break', () => {
  expect(breaksAfter('components schemas Status enum', ['sold'])).toEqual([
    'Status (sent): "available" is no longer taken',
  ])
})

test.each([
  ['a field that is gone', 'Animal properties name', undefined, 'Pet (received).name is gone'],
  ['a field that may be missing', 'Animal required', [], 'Pet (received).name may be missing'],
  ['another type', 'Animal properties name type', 'array', 'Pet (received).name: type was "string" and is "array"'],
  [
    'another type in a map',
    'Animal properties sizes additionalProperties type',
    'number',
    'Pet (received).sizes.*: type was "integer" and is "number"',
  ],
  ['null', 'Animal properties name nullable', true, 'Pet (received).name: nullable was not there and is true'],
  [
    'any number',
    'Pet allOf 1 properties id format',
    undefined,
    'Pet (received).id: format was "int64" and is not there',
  ],
  [
    'any text',
    'Error properties code enum',
    undefined,
    'Error (received).code: enum was ["not_found"] and is not there',
  ],
  [
    'an alternative',
    'Error properties cause oneOf 2',
    { type: 'array' },
    'Error (received).cause has other alternatives',
  ],
])('in what is received, %s is a break', (_, path, value, text) =>
  expect(breaksAfter(`components schemas ${path}`, value)).toEqual([text]),
)

test.each([
  ['the same', 'info version', '1.1.0'],
  ['a new operation', 'paths /cats', { get: { operationId: 'listCats', responses: {} } }],
  ['an optional parameter', `${list} parameters 2`, { ...status, name: 'q' }],
  ['a higher bound of a parameter', maximum, 200],
  ['another security scheme beside the first', 'components securitySchemes Bearer', { type: 'http' }],
  ['a new rejection', `${create} responses 409`, json(ref('Error'))],
  ['a new header', `${create} responses 201 headers`, { Link: link }],
  ['a deprecation', `${create} x-deprecated-sunset`, '2028-01-01'],
  ['a new field to send', 'components schemas NewPet properties size', { type: 'string' }],
  ['any number where a whole one was taken', 'components schemas NewPet properties stock type', 'number'],
  ['a field that need not be sent', 'components schemas NewPet required', []],
  ['a wider bound', 'components schemas NewPet properties name maxLength', 300],
  ['a wider bound of what comes back', 'components schemas Animal properties name maxLength', 300],
  ['a new value', 'components schemas Status enum', ['available', 'pending', 'sold']],
  ['a new error code', 'components schemas Error properties code enum', ['not_found', 'gone']],
  ['a new field to receive', 'components schemas Error properties docs', { type: 'string' }],
  ['any change of a beta operation', 'paths /counts', undefined],
])('%s is no break', (_, path, value) => expect(breaksAfter(path, value)).toEqual([]))

test('a deprecated operation may be removed after its sunset, and not before', () => {
  expect(breaksAfter('paths /pets/{petId}', undefined, '2027-06-30')).toEqual(['GET /pets/{petId} is gone'])
  expect(breaksAfter('paths /pets/{petId}', undefined, '2027-07-01')).toEqual([])
})

test('the description of the service itself can be compared', () => {
  const description = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenapiDocument
  expect(breaksOf(description, description, '2026-11-15')).toEqual([])
  expect(breaksOf(description, { ...description, paths: {} }, '2026-11-15')).toContain('GET /pets is gone')
})

test('a description is compared with the newest release of the same major version', () => {
  expect(newestOf(['1.9.0', '1.10.0', '1.2.3', '2.0.0'], '1.11.0')).toBe('1.10.0')
  expect(newestOf(['1.9.0'], '2.0.0')).toBeUndefined()
})
