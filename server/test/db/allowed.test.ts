import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ApiError } from '../../src/api/errors.ts'
import { failureOf } from '../harness/failure-of.ts'
import { type Service, startService } from '../harness/service.ts'

// A transaction may be begun before it is known whether it is allowed. Nobody sees anything of it before that.

const onPostgres = process.env.TEST_ENGINE === 'postgres'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** Names a category in a transaction, and tells when that was sent. */
function named(name: string, allowed: Promise<void>) {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const done = service.context.db.transaction(async (tx) => {
    const rows = await tx.query('INSERT INTO categories (name, name_folded) VALUES ($1, $1) RETURNING id', [name])
    begin()
    return rows.length
  }, allowed)
  return { begun, done }
}

const seen = async (name: string) =>
  (await service.context.db.query('SELECT 1 AS found FROM categories WHERE name = $1', [name])).length

test('what is done before it is allowed is seen when it is', async () => {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const { begun, done } = named('Allowed', allowed)
  if (onPostgres) await begun
  expect(await seen('Allowed')).toBe(0)
  allow()
  expect(await done).toBe(1)
  expect(await seen('Allowed')).toBe(1)
})

test('what is not allowed is not done, and the next transaction is', async () => {
  const { promise: allowed, reject } = Promise.withResolvers<void>()
  const { begun, done } = named('Refused', allowed)
  if (onPostgres) await begun
  reject(new ApiError('rate_limited'))
  expect(await failureOf(done)).toMatchObject({ code: 'rate_limited' })
  expect(await named('Next', Promise.resolve()).done).toBe(1)
  expect([await seen('Refused'), await seen('Next')]).toEqual([0, 1])
})

test('others are done while one waits to be allowed', async () => {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const { done } = named('Waiting', allowed)
  expect((await service.admin.post('/categories', { name: 'Meanwhile' })).status).toBe(201)
  allow()
  expect(await done).toBe(1)
})
