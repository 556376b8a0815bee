import { afterAll, expect, test } from 'bun:test'
import { ApiError, apiErrors } from '../../../src/platform/api/errors.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { startService } from '../../harness/service.ts'

// A transaction may start before it is allowed. Nothing of it is visible before that.

const onPostgres = process.env.TEST_ENGINE === 'postgres'

const service = await startService()
afterAll(() => service.stop())

/** Inserts a category in a transaction; `begun` resolves when the statement has run. */
function insert(name: string, allowed: Promise<void>) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const done = service.context.db.transaction(async (tx) => {
    const rows = await tx.query('INSERT INTO categories (name, name_folded) VALUES ($1, $1) RETURNING id', [name])
    begin()
    return rows.length
  }, allowed)
  return { begun, done }
}

const countNamed = async (name: string) =>
  (await service.context.db.query('SELECT 1 AS found FROM categories WHERE name = $1', [name])).length

test('what is done before it is allowed becomes visible when it is', async () => {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const { begun, done } = insert('Allowed', allowed)
  if (onPostgres) await begun
  expect(await countNamed('Allowed')).toBe(0)
  allow()
  expect(await done).toBe(1)
  expect(await countNamed('Allowed')).toBe(1)
})

test('what is not allowed is rolled back, and the next transaction runs', async () => {
  const { promise: allowed, reject } = Promise.withResolvers<void>()
  const { begun, done } = insert('Rejected', allowed)
  if (onPostgres) await begun
  reject(new ApiError(apiErrors.rate_limited))
  expect(await failureOf(done)).toMatchObject({ code: 'rate_limited' })
  expect(await insert('Next', Promise.resolve()).done).toBe(1)
  expect([await countNamed('Rejected'), await countNamed('Next')]).toEqual([0, 1])
})

test('other transactions run while one waits to be allowed', async () => {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const { done } = insert('Waiting', allowed)
  expect((await service.admin.post('/categories', { name: 'Meanwhile' })).status).toBe(201)
  allow()
  expect(await done).toBe(1)
})
