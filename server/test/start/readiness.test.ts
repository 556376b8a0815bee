import { expect, test } from 'bun:test'
import { createGrace } from '../../src/platform/telemetry/health.ts'
import { startService } from '../harness/service.ts'

test('a node that shares its database stays ready without it for a while, and says so; its requests get 503 with Retry-After', async () => {
  const service = await startService({ env: { DATABASE_GRACE_SECONDS: '3600' } })
  const { engine } = service.context.db.dialect
  await service.context.db.close()
  const ready = await fetch(`${service.url}/readyz`)
  expect(ready.status).toBe(engine === 'postgres' ? 200 : 503)
  expect(await ready.json()).toMatchObject({ status: 'unavailable', database: 'unreachable' })
  const { status, headers } = await service.admin.get('/categories')
  expect(status).toBe(503)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  await service.stop()
})

test('an outage counts from the first check that found it, and ends with the first that finds none', () => {
  let now = 0
  const isAwayTooLong = createGrace(30_000, () => now)
  expect(isAwayTooLong('unreachable')).toBe(false)
  now = 29_999
  expect(isAwayTooLong('read-only')).toBe(false)
  now = 30_000
  expect(isAwayTooLong('read-only')).toBe(true)
  expect(isAwayTooLong('ok')).toBe(false)
  expect(isAwayTooLong('unreachable')).toBe(false)
  expect(createGrace(0)('unreachable')).toBe(true)
})
