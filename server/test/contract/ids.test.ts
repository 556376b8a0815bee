import { afterAll, describe, expect, test } from 'bun:test'
import { startService } from '../harness/service.ts'
import type { DescribedOperation } from './checker.ts'
import { bodyOf, type Ids, newAdministrator, newIds } from './example-request.ts'

// One rule for every id: an int64 that no resource has is unknown, in a path, a query or a body, and never malformed.

const service = await startService()
afterAll(() => service.stop())
const api = await newAdministrator(service)
const ids = await newIds(api)

const unknown = ['0', '-0', '-1', '-9223372036854775808', '2000000000', '9007199254740993', '9223372036854775807']
const malformed = ['9223372036854775808', '-9223372036854775809', '1.5']

interface Schema {
  readonly format?: string
  readonly items?: Schema
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schema
}

const operations = service.contract.operations()
const isId = (schema: Schema | undefined) => schema?.format === 'int64'
/** The ids in the path or the query of an operation, and those of its parents in the path. */
const namesIn = ({ spec }: DescribedOperation, place: string): string[] =>
  spec.parameters
    .filter((parameter: Parameter) => parameter.in === place)
    .filter(({ schema }: Parameter) => isId(schema) || isId(schema.items))
    .map(({ name }: Parameter) => name)

const inPath = operations.flatMap((operation) => namesIn(operation, 'path').map((name) => ({ operation, name })))
const inQuery = operations.flatMap((operation) => namesIn(operation, 'query').map((name) => ({ operation, name })))
const inBody = operations.flatMap((operation) => {
  const [example = {}] = [operation.exampleBody].flat()
  return ['petId', 'categoryId'].filter((name) => name in example).map((name) => ({ operation, name }))
})
const title = ({ operation, name }: (typeof inPath)[number]) => `${operation.id} ${name}`
const named = (cases: typeof inPath) => cases.map((one) => [title(one), one] as const)

test('the description bounds no id: any int64 is well-formed', () => {
  const bounded: string[] = []
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { format, minimum, maximum } = node as { format?: string; minimum?: number; maximum?: number }
    const isCount = minimum === 0 || path.endsWith('/limit') || path.endsWith('/level')
    if (format === 'int64' && !isCount && (minimum ?? maximum) !== undefined) bounded.push(path)
    for (const [name, inner] of Object.entries(node)) visit(inner, `${path}/${name}`)
  }
  visit(service.contract.description, '')
  expect(bounded).toEqual([])
})

/** The path of an operation, with this text for one of its ids. */
const pathWith = ({ path }: DescribedOperation, name: string, id: string): string =>
  path.replace(/\{(\w+)\}/g, (_, other: keyof Ids) => (other === name ? id : String(ids[other])))

test('every operation that takes an id is examined', () => {
  expect(inPath.length).toBeGreaterThan(25)
  expect(inQuery.map(title)).toEqual(expect.arrayContaining(['listPets ids', 'listOrders petId', 'getUsage keyId']))
  expect(inBody.map(title)).toEqual(expect.arrayContaining(['createPets categoryId', 'placeOrder petId']))
})

describe('an id in the path that nothing has is not found', () => {
  test.each(named(inPath))('%s', async (_, { operation, name }) => {
    const send = async (id: string) => {
      const { status } = await api.send(operation.method, pathWith(operation, name, id), bodyOf(operation, ids))
      return [id, status]
    }
    for (const id of unknown) expect(await send(id)).toEqual([id, 404])
    for (const id of malformed) expect(await send(id)).toEqual([id, 400])
  })
})

describe('an id in a filter that nothing has matches nothing', () => {
  test.each(named(inQuery))('%s', async (_, { operation, name }) => {
    const send = async (id: string) => {
      const { status, body } = await api.get(`${operation.path}?${name}=${id}`)
      return [id, status, Array.isArray(body) ? body : (body.total ?? body.code)]
    }
    const found = { countPets: [200, 0], getUsage: [404, 'key_not_found'] }[operation.id] ?? [200, []]
    for (const id of unknown) expect(await send(id)).toEqual([id, ...found])
    for (const id of malformed) expect(await send(id)).toEqual([id, 400, 'validation_failed'])
  })
})

describe('an id in a body that nothing has is unprocessable', () => {
  test.each(named(inBody))('%s', async (_, { operation, name }) => {
    const send = async (id: string) => {
      // As text, because a number would be rounded.
      const text = JSON.stringify(bodyOf(operation, ids)).replace(new RegExp(`"${name}":\\d+`), `"${name}":${id}`)
      const path = pathWith(operation, '', '')
      const { status, body } = await api.send(operation.method, path, text)
      return [id, status, body.code]
    }
    const code = `unknown_${name.replace('Id', '')}`
    for (const id of unknown) expect(await send(id)).toEqual([id, 422, code])
    for (const id of malformed) expect(await send(id)).toEqual([id, 400, 'validation_failed'])
  })
})
