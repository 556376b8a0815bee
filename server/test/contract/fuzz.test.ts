import { afterAll, test } from 'bun:test'
import fc from 'fast-check'
import { type Client, startService } from '../harness/service.ts'
import { newIds, pathOf } from './example-request.ts'

// Random requests on every operation: none may cause an unexpected failure. A failure prints its seed.

const service = await startService()
afterAll(() => service.stop())
/** Most requests are rejected before they reach a database. */
const runsPerOperation = process.env.TEST_ENGINE === 'postgres' ? 15 : 40
const operations = service.contract.operations()
// Two of everything, so that the ids 1 and 2 exist; and a key for each test, which the others cannot change.
for (let count = 0; count < 2; count++) await newIds(service.admin)
const clients = new Map<string, Client>()
for (const { id } of operations) clients.set(id, await service.newClient({ preset: 'admin' }))

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', ' ', '\0', '\ud800', '%', '"', "'", '__proto__', '9223372036854775808', '-0', 'null', '1e400'),
)
const oddJson = fc.oneof(
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary', maxLength: 200 }),
)
const oddNumber = fc.constantFrom('0', '-0', '1', '-1', '1.5', '1e400', '9007199254740993', '1e-400', '2', '10000')
const id = fc.oneof(fc.constantFrom('1', '2', '0', '-1', '9223372036854775807'), oddText.map(encodeURIComponentLoosely))

function encodeURIComponentLoosely(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E') || '%20'
}

/** Almost valid bodies reach more code than random ones. */
const nearlyRight = (example: object) =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(example).map(([name, value]) => [
          name,
          fc.oneof(
            fc.constant(JSON.stringify(value)),
            oddNumber,
            oddText.map((text) => JSON.stringify(text)),
          ),
        ]),
      ),
      { requiredKeys: [] },
    )
    .map((fields) => `{${Object.entries(fields).map(([name, text]) => `${JSON.stringify(name)}:${text}`)}}`)

test.each(operations)('$id never fails', async (operation) => {
  const api = clients.get(operation.id) as Client
  const parameters: { name: string; in: string }[] = operation.spec.parameters
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const query = fc.array(fc.tuple(fc.constantFrom('x', ...names), fc.oneof(oddText, oddNumber)), { maxLength: 3 })
  const example = operation.exampleBody
  const items = Array.isArray(example) ? fc.array(nearlyRight(example[0] ?? {}), { maxLength: 4 }) : undefined
  const nearly = items ? items.map((some) => `[${some}]`) : nearlyRight(example ?? {})
  const body = example ? fc.oneof(oddJson, nearly) : fc.constant(undefined)
  const headers = fc.record(
    {
      'If-Match': fc.constantFrom('*', '"x"', 'W/"x"', '"', ','),
      'If-None-Match': fc.constantFrom('*', '"x"', '"'),
      Accept: fc.constantFrom('*/*', 'application/problem+json', ';;q=,', 'a/b'),
      'X-Forwarded-For': fc.constantFrom('1.2.3.4', 'unknown', ':::'),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(id, query, body, headers, async (pathId, parameters, text, extra) => {
      const search = new URLSearchParams(parameters).toString()
      const path = pathOf(operation, {}).replaceAll('2000000000', pathId)
      const response = await api.send(operation.method, search ? `${path}?${search}` : path, text, extra)
      if (response.status >= 500) throw new Error(`${response.status}: ${service.logged.at(-1)}`)
    }),
    { numRuns: runsPerOperation },
  )
})
