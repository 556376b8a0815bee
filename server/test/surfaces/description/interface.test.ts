import { afterAll, describe, expect, test } from 'bun:test'
import { plans } from '../../../src/platform/keys/plans.ts'
import { startService } from '../../harness/service.ts'
import { type Tree, wholeIn } from './whole-schema.ts'

// The description has everything that the interface document says, word for word. The tables here are those of the document.

const service = await startService()
afterAll(() => service.stop())
const { description } = service.contract
const { schemas, headers } = description.components
const operations = service.contract.operations()

const whole = wholeIn(schemas)

type Field = [type: string, presence: 'required' | 'optional', meaning: string]

const newPet: Record<string, Field> = {
  name: ['string', 'required', "The animal's name."],
  categoryId: ['integer int64', 'required', 'ID of the category the animal belongs to.'],
  status: ['PetStatus', 'optional', 'Status of the animal.'],
}
const newCategory: Record<string, Field> = {
  name: ['string', 'required', 'The category name (for example a kind of animal such as dog, cat or rabbit).'],
  description: ['string', 'optional', 'A short description of the category.'],
}
const assignedId: Field = ['integer int64', 'required', 'Unique identifier assigned on creation.']

const fields: Record<string, Record<string, Field>> = {
  NewPet: newPet,
  Pet: { ...newPet, id: assignedId },
  NewCategory: newCategory,
  Category: { ...newCategory, id: assignedId },
  Order: {
    id: ['integer int64', 'optional', 'Unique order identifier.'],
    petId: ['integer int64', 'optional', 'ID of the animal in this order.'],
    quantity: ['integer', 'optional', 'Number of units ordered.'],
    shipDate: ['string date-time', 'optional', 'Expected or actual ship date.'],
    complete: ['boolean', 'optional', 'Whether the order has been fulfilled.'],
  },
  InventoryItem: {
    petId: ['integer int64', 'required', 'ID of the animal this entry tracks.'],
    quantity: ['integer', 'required', 'Current stock count.'],
    status: ['PetStatus', 'required', 'Status of the animal.'],
  },
  InventoryUpdate: { quantity: ['integer', 'required', 'The new stock count.'] },
  Error: {
    code: ['string', 'required', 'A machine-readable error code.'],
    message: ['string', 'required', 'A human-readable description of the error.'],
    status: ['integer', 'required', 'The HTTP status code.'],
  },
}

/** The type of a field as the document writes it: the name of an enumeration, or type and format. */
function typeOf(schema: Tree): string {
  const [, name] = /schemas\/(\w+)$/.exec(schema.$ref ?? schema.allOf?.[0].$ref ?? '') ?? []
  if (name === 'PetStatus') return name
  const { type, format } = name ? schemas[name] : schema
  return [type, format].filter(Boolean).join(' ')
}

const startsWith = (meaning: string) => expect.stringMatching(new RegExp(`^${RegExp.escape(meaning)}`))

describe.each(Object.entries(fields))('%s', (name, expected) => {
  const { properties, required = [] } = whole(schemas[name])
  test.each(Object.entries(expected))('has the field %s as given', (field, [type, presence, meaning]) => {
    const schema = properties[field]
    const given = [typeOf(schema), required.includes(field) ? 'required' : 'optional', schema.description]
    expect(given).toEqual([type, presence, startsWith(meaning)])
  })

  test('has no other required field', () => {
    expect(required.filter((field: string) => expected[field]?.[1] !== 'required')).toEqual([])
  })
})

test('a status of a pet is one of three, and Pets is a list of Pet', () => {
  expect(schemas.PetStatus).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] })
  expect(schemas.PetStatus['x-extensible-enum']).toBeUndefined()
  expect(schemas.Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } })
})

test.each(
  Object.entries({
    Limit: ['integer', 'The limit that applies to the client (integer).'],
    Remaining: ['integer', 'Requests left in the current window (integer).'],
    Reset: ['integer', 'Unix timestamp at which the limit resets.'],
  }),
)('X-RateLimit-%s has its type and meaning, and every response declares it', (name, [type = '', meaning = '']) => {
  const { schema, description: said } = headers[name]
  expect([typeOf(schema), said]).toEqual([type, startsWith(meaning)])
  for (const { spec } of operations) {
    for (const response of Object.values<Tree>(spec.responses)) {
      const { headers: declared } = response.$ref
        ? description.components.responses[response.$ref.split('/').at(-1)]
        : response
      expect(declared[`X-RateLimit-${name}`]).toEqual({ $ref: `#/components/headers/${name}` })
    }
  }
})

test('its text has the table of plans, and says how to back off', () => {
  const table = [
    '| Plan | Requests per minute | Requests per day |',
    '| --- | --- | --- |',
    '| free | 60 | 1,000 |',
    '| pro | 300 | 10,000 |',
    '| business | 1,000 | 100,000 |',
    '| enterprise | custom | custom |',
  ]
  expect(description.info.description).toContain(table.join('\n'))
  expect(plans).toEqual({
    free: { perMinute: 60, perDay: 1_000 },
    pro: { perMinute: 300, perDay: 10_000 },
    business: { perMinute: 1_000, perDay: 100_000 },
  })
  expect(description.info.description).toMatch(
    /After a 429, wait .*`Retry-After`.*exponential backoff.*banned temporarily/,
  )
})

test('two operations are marked as given, and the tags Pets and Store have no operations', () => {
  const byId = Object.fromEntries(operations.map(({ id, spec }) => [id, spec]))
  expect(byId.getPet).toMatchObject({ deprecated: true, 'x-deprecated-sunset': '2027-06-30' })
  expect(byId.listOrders).toMatchObject({ 'x-hideTryItPanel': true })
  expect(description.info.version).toBe('1.0.0')
  expect(description.openapi).toBe('3.0.3')
  const used = new Set(operations.flatMap(({ spec }) => spec.tags))
  expect(['Pets', 'Store'].filter((tag) => used.has(tag))).toEqual([])
  const stabilities = new Set(operations.flatMap(({ spec }) => spec['x-stability'] ?? []))
  expect([...stabilities].toSorted()).toEqual(['beta', 'experimental'])
})
