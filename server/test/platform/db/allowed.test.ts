import { afterAll, expect, test } from 'bun:test'
import { ApiError, apiErrors } from '../../../src/platform/api/errors.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { type Service, startService } from '../../harness/service.ts'

// A transaction may start before it is allowed. Nothing of it is visible before that.

const onPostgres = process.env.TEST_ENGINE === 'postgres'

const service = await startService()
// Nothing listens there: spans are dropped.
const traced = await startService({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/' } })
afterAll(() => Promise.all([service.stop(), traced.stop()]))

/** Inserts a category in a transaction; `begun` resolves when the statement has run. */
function insert({ context }: Service, name: string, allowed: Promise<void>) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const done = context.db.transaction(async (tx) => {
    const rows = await tx.query('INSERT INTO categories (name, name_folded) VALUES ($1, $1) RETURNING id', [name])
    begin()
    return rows.length
  }, allowed)
  return { begun, done }
}

const countNamed = async ({ context }: Service, name: string) =>
  (await context.db.query('SELECT 1 AS found FROM categories WHERE name = $1', [name])).length

test('what is done before it is allowed becomes visible when it is', async () => {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const { begun, done } = insert(service, 'Allowed', allowed)
  if (onPostgres) await begun
  expect(await countNamed(service, 'Allowed')).toBe(0)
  allow()
  expect(await done).toBe(1)
  expect(await countNamed(service, 'Allowed')).toBe(1)
})

test.each([
  ['', service],
  [' with traces', traced],
])('what is not allowed is rolled back%s, and the next transaction runs', async (_, service) => {
  const { promise: allowed, reject } = Promise.withResolvers<void>()
  const { begun, done } = insert(service, 'Rejected', allowed)
  if (onPostgres) await begun
  reject(new ApiError(apiErrors.rate_limited))
  expect(await failureOf(done)).toMatchObject({ code: 'rate_limited' })
  expect(await insert(service, 'Next', Promise.resolve()).done).toBe(1)
  expect([await countNamed(service, 'Rejected'), await countNamed(service, 'Next')]).toEqual([0, 1])
})

test('other transactions run while one waits to be allowed', async () => {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const { done } = insert(service, 'Waiting', allowed)
  expect((await service.admin.post('/categories', { name: 'Meanwhile' })).status).toBe(201)
  allow()
  expect(await done).toBe(1)
})
