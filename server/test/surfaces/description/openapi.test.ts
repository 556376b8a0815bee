import { afterAll, expect, test } from 'bun:test'
import { parse } from 'yaml'
import { petShop } from '../../../src/shop/index.ts'
import { buildOpenapi } from '../../../src/surfaces/description/openapi.ts'
import { openapi31 } from '../../../src/surfaces/description/openapi-3-1.ts'
import { descriptionFor } from '../../../src/surfaces/description/served.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { description } = service.contract
const operations = service.contract.operations()
const byId = new Map(operations.map((operation) => [operation.id, operation.spec]))

test('it is OpenAPI 3.0.3 of version 1.0.0, and the YAML is the same, also for YAML 1.1 parsers', async () => {
  expect(description.openapi).toBe('3.0.3')
  expect(description.info.version).toBe('1.0.0')
  const yaml = await fetch(`${service.url}/openapi.yaml`)
  expect(yaml.headers.get('content-type')).toBe('application/yaml')
  const text = await yaml.text()
  expect(parse(text)).toEqual(description)
  expect(parse(text, { version: '1.1' })).toEqual(description)
})

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is a tree of unknown depth
type Tree = any

/** A shape with all its fields, including those of the shape it extends. */
function whole(schema: Tree): Tree {
  if (schema.$ref) return whole(description.components.schemas[schema.$ref.split('/').at(-1)])
  if (!schema.allOf) return schema
  const parts: Tree[] = schema.allOf.map(whole)
  return {
    ...schema,
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required ?? []),
  }
}

test('the schemas have the names and required fields of the interface', () => {
  const required = {
    NewPet: ['name', 'categoryId'],
    Pet: ['id', 'name', 'categoryId', 'status'],
    NewCategory: ['name'],
    Category: ['id', 'name'],
    InventoryItem: ['petId', 'quantity', 'status'],
    InventoryUpdate: ['quantity'],
    Order: undefined,
    PlacedOrder: ['id', 'petId', 'quantity', 'complete', 'placedAt'],
    ApiKeyWithSecret: [...whole(description.components.schemas.ApiKey).required, 'secret'],
    WebhookWithSecret: [...whole(description.components.schemas.Webhook).required, 'secret'],
  }
  const { schemas } = description.components
  for (const [name, fields] of Object.entries(required)) {
    expect([name, whole(schemas[name]).required?.toSorted()]).toEqual([name, fields?.toSorted()])
  }
  expect(schemas.PetStatus.enum).toEqual(['available', 'pending', 'sold'])
  expect(whole(schemas.Pet).required).toEqual(expect.arrayContaining(['id', 'name', 'categoryId']))
  expect(schemas.Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } })
  expect(schemas.Error.required).toEqual(expect.arrayContaining(['code', 'message', 'status']))
})

test('fields have the meanings of the interface', () => {
  const meanings = {
    NewPet: {
      name: "The animal's name.",
      categoryId: 'ID of the category the animal belongs to.',
      status: 'Status of the animal.',
    },
    Pet: { id: 'Unique identifier assigned on creation.', status: 'Status of the animal.' },
    NewCategory: {
      name: 'The category name (for example a kind of animal such as dog, cat or rabbit).',
      description: 'A short description of the category.',
    },
    Category: { id: 'Unique identifier assigned on creation.' },
    Order: {
      id: 'Unique order identifier.',
      petId: 'ID of the animal in this order.',
      quantity: 'Number of units ordered.',
      shipDate: 'Expected or actual ship date.',
      complete: 'Whether the order has been fulfilled.',
    },
    InventoryItem: {
      petId: 'ID of the animal this entry tracks.',
      quantity: 'Current stock count.',
      status: 'Status of the animal.',
    },
    InventoryUpdate: { quantity: 'The new stock count.' },
    Error: { message: 'A human-readable description of the error.', status: 'The HTTP status code.' },
  }
  const { schemas } = description.components
  for (const [name, fields] of Object.entries(meanings)) {
    for (const [field, meaning] of Object.entries(fields))
      expect([name, field, whole(schemas[name]).properties[field].description]).toEqual([
        name,
        field,
        expect.stringMatching(new RegExp(`^${RegExp.escape(meaning)}`)),
      ])
  }
  expect(schemas.ErrorCode.description).toStartWith('A machine-readable error code.')
  expect(schemas.InventoryItem.properties.status.allOf).toEqual([{ $ref: '#/components/schemas/PetStatus' }])
})

test('every enumeration has a name, for generated clients', () => {
  const parts = ({ items, properties = {}, allOf = [] }: Tree): Tree[] => [
    ...(items ? [items] : []),
    ...Object.values(properties),
    ...allOf,
  ]
  const unnamed = (schema: Tree): boolean => parts(schema).some((part) => part.enum !== undefined || unnamed(part))
  const { schemas } = description.components
  expect(Object.keys(schemas).filter((name) => unnamed(schemas[name]))).toEqual([])
})

/** Every schema of the document, with its path. */
function* schemasIn(node: Tree, path = ''): Generator<[path: string, schema: Tree]> {
  if (typeof node !== 'object' || node === null) return
  if (node.type !== undefined && node.in === undefined) yield [path, node]
  for (const [key, value] of Object.entries(node)) {
    if (!key.startsWith('example')) yield* schemasIn(value, `${path}/${key}`)
  }
}

/** The integers that have no format in the interface. */
const isPlain = (path: string) => /\/(quantity|quantity\/properties\/(from|to)|(Error|Problem)\/.*status)$/.test(path)

test('quantities and the status of an error are plain integers, as in the interface', () => {
  const { Order, InventoryItem, InventoryUpdate, Error: failure } = description.components.schemas
  const plain = [Order, InventoryItem, InventoryUpdate].map(({ properties }) => properties.quantity)
  for (const schema of [...plain, failure.properties.status]) {
    expect(schema).toMatchObject({ type: 'integer', minimum: expect.any(Number), maximum: expect.any(Number) })
    expect(schema).not.toHaveProperty('format')
  }
})

test('every integer has a format and bounds, but ids no maximum, and every array a maximum', () => {
  const lacking = [...schemasIn({ paths: description.paths, components: description.components })]
    .filter(([path, { type, format, minimum, maximum, maxItems }]) => {
      if (type === 'integer')
        return (
          (format === undefined) !== isPlain(path) ||
          minimum === undefined ||
          (maximum === undefined && !(format === 'int64' && minimum === 1))
        )
      return type === 'array' && maxItems === undefined
    })
    .map(([path]) => path)
  expect(lacking).toEqual([])
})

test('an enumeration that may grow says so, and the statuses of a pet do not', () => {
  const { schemas } = description.components
  const enumerations = Object.keys(schemas).filter((name) => schemas[name].enum)
  const growing = enumerations.filter((name) => schemas[name]['x-extensible-enum'])
  for (const name of growing) expect(schemas[name]['x-extensible-enum']).toEqual(schemas[name].enum)
  expect(enumerations.filter((name) => !growing.includes(name))).toEqual(['PetStatus'])
  for (const name of ['Webhook', 'NewWebhook', 'WebhookPatch', 'ReplayEvents']) {
    expect(schemas[name].properties.events.items).toEqual({ $ref: '#/components/schemas/EventFilter' })
  }
  expect(schemas.EventFilter.enum).toEqual(expect.arrayContaining(['order.placed', 'order.*', '*']))
})

test('every operation has a response for errors that it does not name', () => {
  for (const { spec } of operations)
    expect(spec.responses.default).toEqual({ $ref: '#/components/responses/OtherError' })
  expect(description.components.responses.OtherError.content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/Error',
  })
})

test('every event type is described as a callback of a new webhook, the ping too, and as a webhook in 3.1', () => {
  const { callbacks } = byId.get('createWebhook')
  const types = Object.keys(description.components.schemas.Event.discriminator.mapping)
  expect(types).toEqual(description.components.schemas.EventType.enum)
  expect(types).toContain('webhook.ping')
  expect(Object.keys(callbacks)).toEqual(types)
  for (const type of types) {
    const { requestBody } = callbacks[type]['{$request.body#/url}'].post
    const { schema, example } = requestBody.content['application/json']
    expect(whole(whole(schema).properties.type).enum).toContain(type)
    expect(example.type).toBe(type)
  }
  const later: Tree = openapi31(description)
  expect(Object.keys(later.webhooks)).toEqual(types)
  expect(later.webhooks['order.placed'].post.operationId).toBe('onOrderPlaced')
  expect(later.paths['/webhooks'].post.callbacks).toBeUndefined()
})

test('its text contains the status diagram', () => {
  const [, drawing = ''] = /```mermaid\n([^`]*)```/.exec(description.info.description) ?? []
  const ways = [
    'available --> pending',
    'pending --> sold',
    'sold --> available',
    'available --> held',
    'held --> sold',
  ]
  for (const way of ways) expect(drawing).toContain(way)
})

test('identifiers are int64 from 1, without a maximum', () => {
  const { schemas } = description.components
  for (const [name, field] of [
    ['NewPet', 'categoryId'],
    ['Pet', 'id'],
    ['Category', 'id'],
    ['Order', 'petId'],
    ['InventoryItem', 'petId'],
  ]) {
    const { description: _, example: __, ...schema } = whole(schemas[name as string]).properties[field as string]
    expect(schema).toEqual({ type: 'integer', format: 'int64', minimum: 1 })
  }
  const { PetId, CategoryId, CategoryFilter } = description.components.parameters
  for (const { schema } of [PetId, CategoryId, { schema: CategoryFilter.schema.items }])
    expect(schema).toEqual({ type: 'integer', format: 'int64', minimum: 1 })
})

test.each(operations)('$id is fully described', ({ spec, exampleBody }) => {
  expect(spec.summary).toBeString()
  expect(spec.description).toBeString()
  if (spec.requestBody) expect(exampleBody).toBeDefined()
  for (const [status, response] of Object.entries<Tree>(spec.responses)) {
    if (!status.startsWith('2') || status === '204') continue
    const { schema, example = whole(schema.items ?? schema).example } = Object.values(response.content)[0] as Tree
    expect(example).toBeDefined()
  }
  for (const parameter of spec.parameters) expect(parameter.description).toBeString()
})

test('groups have no operations, and every other tag names its group', () => {
  const groups = ['Pets', 'Store', 'Platform']
  const used = new Set(operations.flatMap(({ spec }) => spec.tags))
  for (const group of groups) expect(used.has(group)).toBeFalse()
  for (const tag of description.tags) expect(groups.includes(tag.name)).toBe(tag['x-parent'] === undefined)
  for (const { name, tags } of description['x-tagGroups']) {
    const children = description.tags.filter((tag: Record<string, string>) => tag['x-parent'] === name)
    expect(tags).toEqual(children.map((tag: Record<string, string>) => tag.name))
  }
})

test('extensions mark what the interface marks', () => {
  expect(byId.get('getPet')).toMatchObject({ deprecated: true, 'x-deprecated-sunset': '2027-06-30' })
  expect(byId.get('listOrders')).toMatchObject({ 'x-hideTryItPanel': true })
  expect(byId.get('getPetProfile')).not.toHaveProperty('x-stability')
  expect(byId.get('adjustInventory')).toMatchObject({ 'x-stability': 'beta' })
  expect(byId.get('getUsage')).toMatchObject({ 'x-stability': 'experimental' })
  expect(byId.get('createPet')).toMatchObject({ 'x-required-scope': 'pets:write' })
})

test('it is served as generated from the operations, for any base URL', () => {
  for (const baseUrl of ['http://localhost:8080', 'https://shop.example.org/api/v1']) {
    expect(JSON.stringify(descriptionFor(petShop, baseUrl))).toBe(JSON.stringify(buildOpenapi(petShop, baseUrl)))
  }
})
