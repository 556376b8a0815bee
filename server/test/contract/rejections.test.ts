import { afterAll, describe, expect, test } from 'bun:test'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { minuteMs } from '../../src/platform/lib/time.ts'
import { type ApiResponse, startService } from '../harness/service.ts'
import type { DescribedOperation } from './checker.ts'
import { bodyOf, declares, type Ids, newAdministrator, newIds, pathOf, pathOfNothing } from './example-request.ts'

// Every operation with every generic rejection it declares. The harness checks each response's headers and body.

const service = await startService()
afterAll(() => service.stop())
const api = await newAdministrator(service)
const unauthenticated = service.as(undefined)
const weakScope = (operation: DescribedOperation) =>
  operation.spec['x-required-scope'] === 'pets:read' ? 'orders:read' : 'pets:read'

type Provoke = (operation: DescribedOperation, ids: Ids) => Promise<ApiResponse>

/** How to get an error from any operation that declares its status. */
const provocations: [status: number, reason: string, provoke: Provoke][] = [
  [
    400,
    'an unknown parameter',
    (operation, ids) => api.send(operation.method, `${pathOf(operation, ids)}?nope=1`, bodyOf(operation, ids)),
  ],
  [
    401,
    'a missing key',
    (operation, ids) => unauthenticated.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids)),
  ],
  [
    401,
    'an unknown key',
    (operation, ids) => {
      // An address may send 60 such requests a minute.
      service.clock.advance(minuteMs)
      return service.as(newSecret()).send(operation.method, pathOf(operation, ids), bodyOf(operation, ids))
    },
  ],
  [
    403,
    'a key without the scope',
    async (operation, ids) => {
      const weak = await service.newClient({ scopes: [weakScope(operation)] })
      const query = operation.id === 'getUsage' ? `?keyId=${ids.keyId}` : ''
      return weak.send(operation.method, pathOf(operation, ids) + query, bodyOf(operation, ids))
    },
  ],
  [
    404,
    'an unknown id',
    (operation, ids) => {
      const query = operation.id === 'getUsage' ? '?keyId=2000000000' : ''
      return api.send(operation.method, pathOfNothing(operation) + query, bodyOf(operation, ids))
    },
  ],
  [
    406,
    'a form that does not exist',
    (operation, ids) =>
      api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids), { Accept: 'text/html' }),
  ],
  [
    412,
    'another state',
    (operation, ids) =>
      api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids), { 'If-Match': '"another"' }),
  ],
  [413, 'a large body', (operation, ids) => api.send(operation.method, pathOf(operation, ids), ' '.repeat(300 * 1024))],
  [
    414,
    'a long URL',
    (operation, ids) =>
      api.send(operation.method, `${pathOf(operation, ids)}?q=${'x'.repeat(9_000)}`, bodyOf(operation, ids)),
  ],
  [
    415,
    'text',
    (operation, ids) =>
      api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids), { 'Content-Type': 'text/plain' }),
  ],
  [
    431,
    'large headers',
    (operation, ids) =>
      api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids), { 'X-Long': 'x'.repeat(17_000) }),
  ],
]

const operations = service.contract.operations()
// A rejected request changes nothing, so all can use the same resources.
const ids = await newIds(api)

for (const [status, reason, provoke] of provocations) {
  describe(reason, () => {
    for (const operation of operations.filter((operation) => declares(operation, status))) {
      test(`${operation.id} returns ${status} with an Error object`, async () => {
        const response = await provoke(operation, ids)
        expect(response.status).toBe(status)
        expect(response.body.status).toBe(status)
        expect(response.body.requestId).toBe(response.headers.get('x-request-id'))
        expect(response.body.docs).toBe(`${service.context.config.baseUrl}/errors#${response.body.code}`)
      })
    }
  })
}

const parameterOf = ({ spec }: DescribedOperation, name: string) =>
  spec.parameters.some((parameter: { name: string }) => parameter.name === name)

test.each(operations.filter(({ exampleBody }) => exampleBody))(
  '$id rejects a body that is not JSON, and one that is a text',
  async (operation) => {
    for (const [text, code] of [
      ['{', 'malformed_json'],
      ['"text"', 'validation_failed'],
    ] as const) {
      const { status, body } = await api.send(operation.method, pathOf(operation, ids), text)
      expect([status, body.code]).toEqual([400, code])
    }
  },
)

test.each(operations.filter(({ exampleBody }) => exampleBody))(
  '$id requires the fields that its description requires, and no other of its example',
  async (operation) => {
    const { schema } = operation.spec.requestBody.content['application/json']
    const { $ref } = schema.items ?? schema
    const { required = [] } = service.contract.description.components.schemas[$ref.split('/').at(-1)]
    const body = bodyOf(operation, ids)
    const example = (Array.isArray(body) ? body[0] : body) as Record<string, unknown>
    for (const name of Object.keys(example)) {
      const { [name]: _, ...others } = example
      const response = await api.send(operation.method, pathOf(operation, ids), Array.isArray(body) ? [others] : others)
      const faults: { path: string; message: string }[] = response.body?.errors ?? []
      const isRequired = faults.some(
        ({ path, message }) => path.endsWith(`/${name}`) && message.endsWith('is required'),
      )
      expect({ name, isRequired }).toEqual({ name, isRequired: required.includes(name) })
    }
  },
)

test.each(operations.filter((operation) => parameterOf(operation, 'cursor') || operation.id === 'streamEvents'))(
  '$id rejects a cursor that it did not issue',
  async (operation) => {
    const name = parameterOf(operation, 'cursor') ? 'cursor' : 'after'
    const { status, body } = await api.get(`${pathOf(operation, ids)}?${name}=nope`)
    expect([status, body.code]).toEqual([400, 'invalid_cursor'])
  },
)

test('every operation declares the errors that any request can get', () => {
  const expected = ['400', '401', '406', '414', '429', '431', '500', '503']
  for (const { id, spec } of operations) {
    expect({ id, missing: expected.filter((status) => !(status in spec.responses)) }).toEqual({ id, missing: [] })
  }
})
