import { afterAll, beforeAll, expect, test } from 'bun:test'
import { keySubject } from '../../src/limits/limiter.ts'
import { findUsage } from '../../src/usage/store.ts'
import { type Service, startService } from '../harness.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('the counts of many keys are each written as they are, whatever the number of keys', async () => {
  const { usage, limiter, db } = service.context
  const now = service.clock.now()
  let keyId = 1_000_000
  for (const keys of [1, 99, 100, 101, 250]) {
    const first = keyId
    for (let index = 0; index < keys; index++, keyId++) {
      for (let count = 0; count <= index % 3; count++) {
        usage.count(keyId, 'allowed')
        await limiter.admit(keySubject(keyId), { perMinute: 10, perDay: 10 }, now)
      }
    }
    await usage.flush()
    await limiter.flush(now)
    for (let index = 0; index < keys; index++) {
      const [row] = await findUsage(db, first + index, 'hour', now, now + 1)
      expect([keys, index, row?.allowed]).toEqual([keys, index, (index % 3) + 1])
    }
  }
  await service.restart()
  const after = service.context.limiter
  expect(await after.used(keySubject(1_000_000), now)).toEqual({ minute: 1, day: 1 })
  expect(await after.used(keySubject(1_000_003), now)).toEqual({ minute: 3, day: 3 })
})
