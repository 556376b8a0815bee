import { afterAll, describe, expect, test } from 'bun:test'
import { type Answer, startService } from '../harness/service.ts'
import type { DescribedOperation } from './checker.ts'
import { bodyOf, declares, type Ids, newAdministrator, newIds, pathOf, pathOfNothing } from './example-request.ts'

// Every operation with every generic refusal it declares. The harness checks each response's headers and body.

const service = await startService()
afterAll(() => service.stop())
const api = await newAdministrator(service)
const unauthenticated = service.as(undefined)
const weakScope = (operation: DescribedOperation) =>
  operation.spec['x-required-scope'] === 'pets:read' ? 'orders:read' : 'pets:read'

type Provoke = (operation: DescribedOperation, ids: Ids) => Promise<Answer>

/** How to get a status from any operation that declares it. */
const provocations: Record<number, Provoke> = {
  400: (operation, ids) => api.send(operation.method, `${pathOf(operation, ids)}?nope=1`, bodyOf(operation, ids)),
  401: (operation, ids) => unauthenticated.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids)),
  403: async (operation, ids) => {
    const weak = await service.newClient({ scopes: [weakScope(operation)] })
    const query = operation.id === 'getUsage' ? `?keyId=${ids.keyId}` : ''
    return weak.send(operation.method, pathOf(operation, ids) + query, bodyOf(operation, ids))
  },
  404: (operation, ids) => {
    const query = operation.id === 'getUsage' ? '?keyId=2000000000' : ''
    return api.send(operation.method, pathOfNothing(operation) + query, bodyOf(operation, ids))
  },
  406: (operation, ids) =>
    api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids), { Accept: 'text/html' }),
  412: (operation, ids) =>
    api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids), { 'If-Match': '"another"' }),
  413: (operation, ids) => api.send(operation.method, pathOf(operation, ids), ' '.repeat(300 * 1024)),
  414: (operation, ids) =>
    api.send(operation.method, `${pathOf(operation, ids)}?q=${'x'.repeat(9_000)}`, bodyOf(operation, ids)),
  415: (operation, ids) =>
    api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids), { 'Content-Type': 'text/plain' }),
  431: (operation, ids) =>
    api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids), { 'X-Long': 'x'.repeat(17_000) }),
}

const operations = service.contract.operations()
// A refused request changes nothing, so all can use the same resources.
const ids = await newIds(api)

for (const [status, provoke] of Object.entries(provocations).map(([status, how]) => [Number(status), how] as const)) {
  describe(`${status}`, () => {
    for (const operation of operations.filter((operation) => declares(operation, status))) {
      test(`${operation.id} returns ${status} with an Error object`, async () => {
        const answer = await provoke(operation, ids)
        expect(answer.status).toBe(status)
        expect(answer.body.status).toBe(status)
        expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'))
        expect(answer.body.docs).toBe(`http://petstore.test/errors#${answer.body.code}`)
      })
    }
  })
}

test('every operation declares the errors that any request can get', () => {
  const expected = ['400', '401', '406', '414', '429', '431', '500', '503']
  for (const { id, spec } of operations) {
    expect({ id, missing: expected.filter((status) => !(status in spec.responses)) }).toEqual({ id, missing: [] })
  }
})
