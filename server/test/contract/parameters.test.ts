import { afterAll, describe, expect, test } from 'bun:test'
import { startService } from '../harness/service.ts'
import type { DescribedOperation } from './checker.ts'
import { newAdministrator, newIds, pathOf } from './example-request.ts'

// The same thing has the same name and the same form in the query of every operation.

const service = await startService()
afterAll(() => service.stop())

interface Parameter {
  readonly name: string
  readonly in: string
  readonly style?: string
  readonly explode?: boolean
  readonly example?: unknown
  readonly schema: { readonly type?: string; readonly format?: string }
}

const operations = service.contract.operations()
const queryOf = ({ spec }: DescribedOperation): Parameter[] =>
  spec.parameters.filter((parameter: Parameter) => parameter.in === 'query')
const lists = operations.flatMap((operation) =>
  queryOf(operation)
    .filter(({ schema }) => schema.type === 'array')
    .map((parameter) => ({ operation, parameter, name: `${operation.id} ${parameter.name}` })),
)

describe('several values are repeated, separated by commas, or in brackets', async () => {
  const api = await newAdministrator(service)
  const ids = await newIds(api)
  expect(lists.length).toBeGreaterThan(10)
  test.each(lists)('$name', async ({ operation, parameter: { name, style, explode, example } }) => {
    expect([style, explode]).toEqual(['form', true])
    if (operation.id === 'streamEvents') return
    const [value] = example as [unknown]
    const pages = await Promise.all(
      [`${name}=${value}&${name}=${value}`, `${name}=${value},${value}`, `${name}[]=${value}`].map((query) =>
        api.get(`${pathOf(operation, ids)}?${query}&${operation.id === 'countPets' ? '' : 'limit=100'}`),
      ),
    )
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(pages[1]?.body).toEqual(pages[0]?.body)
    expect(pages[2]?.body).toEqual(pages[0]?.body)
  })
})

test('a parameter with one name has one schema and one form', () => {
  // `sort` has the orders of its list.
  const own = new Set(['sort'])
  const forms = Map.groupBy(operations.flatMap(queryOf), ({ name }) => name)
  for (const [name, parameters] of forms) {
    if (own.has(name)) continue
    const different = new Set(parameters.map(({ schema, style, explode }) => JSON.stringify([schema, style, explode])))
    expect({ name, different: different.size }).toEqual({ name, different: 1 })
  }
})

test('a time range is `from` and `to`, with the name of the time if the list has several', () => {
  for (const operation of operations) {
    const times = queryOf(operation)
      .filter(({ schema }) => schema.format === 'date-time')
      .map(({ name }) => name)
    const fields = [...new Set(times.map((name) => name.replace(/(from|to)$/i, '')))]
    const named = fields.length > 1 ? fields.flatMap((field) => [`${field}From`, `${field}To`]) : ['from', 'to']
    if (times.length > 0) expect({ id: operation.id, times }).toEqual({ id: operation.id, times: named })
  }
})

test('every list has pages with `limit` and `cursor`', () => {
  const paged = operations.filter((operation) => queryOf(operation).some(({ name }) => name === 'limit'))
  expect(paged.length).toBeGreaterThan(8)
  const withoutCursor = paged.filter((operation) => !queryOf(operation).some(({ name }) => name === 'cursor'))
  expect(withoutCursor.map(({ id }) => id)).toEqual([])
})
