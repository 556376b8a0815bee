import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { petShop } from '../../../src/shop/index.ts'
import { buildOpenapi } from '../../../src/surfaces/description/openapi.ts'
import { openapi31 } from '../../../src/surfaces/description/openapi-3-1.ts'
import { descriptionFor } from '../../../src/surfaces/description/served.ts'
import { repository } from '../../harness/repository-files.ts'
import { startService } from '../../harness/service.ts'
import { type Tree, wholeIn } from './whole-schema.ts'

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

const whole = wholeIn(description.components.schemas)

test('a shape that extends another requires what it adds', () => {
  const { schemas } = description.components
  const requiredBy = (name: string) => whole(schemas[name]).required.toSorted()
  expect(requiredBy('PlacedOrder')).toEqual(['complete', 'id', 'petId', 'placedAt', 'quantity'])
  for (const name of ['ApiKey', 'Webhook'])
    expect(requiredBy(`${name}WithSecret`)).toEqual([...requiredBy(name), 'secret'].toSorted())
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
const isPlain = (path: string) =>
  /\/(quantity|quantity\/properties\/(from|to)|(Error|Problem)\/.*status|headers\/\w+\/schema)$/.test(path)

test('every integer has a format and, if it is not an int64, bounds; every array has a maximum', () => {
  const lacking = [...schemasIn({ paths: description.paths, components: description.components })]
    .filter(([path, { type, format, minimum, maximum, maxItems }]) => {
      if (type === 'integer')
        return (
          (format === undefined) !== isPlain(path) ||
          (maximum === undefined && format !== 'int64' && !path.includes('/headers/')) ||
          (minimum === undefined && maximum !== undefined)
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

test('it is served without white space, in less than 4,400 bytes for each operation', async () => {
  for (const path of ['/openapi.json', '/openapi-3.1.json']) {
    const served = await (await fetch(service.url + path)).text()
    expect(served).toBe(`${JSON.stringify(JSON.parse(served))}\n`)
  }
  const minified = JSON.stringify(buildOpenapi(petShop, 'https://petstore.example.com'))
  expect(Buffer.byteLength(minified) / operations.length).toBeLessThan(4_400)
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
    const callback = description.components.callbacks[callbacks[type].$ref.split('/').at(-1)]
    const { requestBody } = callback['{$request.body#/url}'].post
    const { schema } = requestBody.content['application/json']
    expect(whole(whole(schema).properties.type).enum).toContain(type)
  }
  const later: Tree = openapi31(description)
  expect(Object.keys(later.webhooks)).toEqual(types)
  expect(later.webhooks['order.placed'].post.operationId).toBe('onOrderPlaced')
  expect(later.paths['/webhooks'].post.callbacks).toBeUndefined()
  expect(later.components.callbacks).toBeUndefined()
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

test('a deprecated operation names its successor, and nothing leads to it', () => {
  const deprecated = operations.filter(({ spec }) => spec.deprecated)
  expect(deprecated.map(({ id }) => id)).toEqual(['getPet'])
  expect(deprecated[0]?.spec.description).toContain('`GET /pets/{petId}/profile`')
  const linked = operations.flatMap(({ spec }) => Object.keys(spec.responses['201']?.links ?? {}))
  expect(linked).toContain('getPetProfile')
  expect(linked).not.toContain('getPet')
  expect(description.components.headers.Location.example).toEndWith('/pets/7/profile')
})

test('where a pet is read and changed, it says that a sale does not make the ETag of the profile stale', () => {
  for (const id of ['getPetProfile', 'updatePet', 'replacePet']) {
    const text = operations.find((operation) => operation.id === id)?.spec.description
    expect(text).toMatch(/`ETag`.*\bsale\b/)
  }
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

test('an operation names its scope', () => {
  expect(byId.get('createPet')).toMatchObject({ 'x-required-scope': 'pets:write' })
})

test('all operations but two are stable, and the description of those says why', () => {
  const marked = operations.filter(({ spec }) => 'x-stability' in spec)
  expect(Object.fromEntries(marked.map(({ id, spec }) => [id, spec['x-stability']]))).toEqual({
    getStoreSummary: 'beta',
    getUsage: 'experimental',
  })
  for (const { spec } of marked) {
    expect(spec.description).toMatch(new RegExp(`\\n\\nStability: ${spec['x-stability']}\\. Made for .+\\.$`))
  }
})

const promise =
  /nothing stable is removed or narrowed without .*six months .+ `beta` may still change, and .+ `experimental` may also be removed, with any release/i

test.each(['CHANGELOG.md', 'ROADMAP.md', 'openapi.json', 'server/src/shop/guides/deprecation.md'])(
  '%s makes the same promise about removals',
  (file) => {
    const text = readFileSync(join(repository, file), 'utf8').replace(/\s+/g, ' ')
    expect(text).toMatch(promise)
  },
)

test('it is served as generated from the operations, for any base URL', () => {
  for (const baseUrl of ['http://localhost:8080', 'https://shop.example.org/api/v1']) {
    expect(JSON.stringify(descriptionFor(petShop, baseUrl))).toBe(JSON.stringify(buildOpenapi(petShop, baseUrl)))
  }
})
