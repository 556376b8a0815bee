import { afterAll, expect, test } from 'bun:test'
import { keySubject } from '../../../src/platform/keys/plans.ts'
import { appendUsage } from '../../../src/platform/usage/counter.ts'
import { addUpUsage, findUsage } from '../../../src/platform/usage/store.ts'
import { eventually } from '../../harness/eventually.ts'
import { startService } from '../../harness/service.ts'
import { waitingForLocks } from '../../harness/waiting-for-locks.ts'

const service = await startService()
afterAll(() => service.stop())

test('the counts of many keys are all written correctly', async () => {
  const { usage, limiter, db } = service.context
  const now = service.clock.now()
  let keyId = 1_000_000
  for (const keys of [1, 99, 100, 101, 250]) {
    const first = keyId
    for (let index = 0; index < keys; index++, keyId++) {
      for (let count = 0; count <= index % 3; count++) {
        usage.count(keyId, 'allowed', 1, now)
        await limiter.admit(keySubject(keyId), { perMinute: 10, perDay: 10 }, now)
      }
    }
    await usage.flush()
    await limiter.flush()
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

test('counts appended around the hour are added up once, even if several nodes add up concurrently', async () => {
  const { db } = service.context
  const hourMs = 3_600_000
  const counted = (...hours: number[]) =>
    new Map(
      hours.map((hour) => [
        hour * hourMs,
        new Map(Array.from({ length: 200 }, (_, keyId) => [keyId, { allowed: 1, limited: 0, errors: 0, strikes: 0 }])),
      ]),
    )
  // A transaction that was retried counts twice here.
  let begun = 0
  const write = (...hours: number[]) =>
    db.transaction((tx) => {
      begun++
      return appendUsage(tx, counted(...hours))
    })
  const allowedOf = async (per: 'hour' | 'day', from: number, to: number) =>
    (await findUsage(db, 7, per, from, to)).map(({ allowed }) => allowed)
  for (let round = 1; round <= 20; round++) {
    await Promise.all([write(1, 2), addUpUsage(db), write(2), addUpUsage(db), write(2, 1)])
    expect([await allowedOf('hour', 2 * hourMs, 3 * hourMs), await allowedOf('day', 0, 1)]).toEqual([
      [3 * round],
      [5 * round],
    ])
  }
  expect(begun).toBe(60)
  await eventually(async () => {
    await addUpUsage(db)
    return (await db.query('SELECT id FROM usage_changes LIMIT 1')).length === 0
  })
  expect([await allowedOf('hour', 2 * hourMs, 3 * hourMs), await allowedOf('day', 0, 1)]).toEqual([[60], [100]])
})

test('any number of appended counts is added up in one run, at most 5,000 in a transaction', async () => {
  const { db } = service.context
  const keyId = 2_000_000
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO usage_changes (key_id, starts_at, allowed, limited, errors, strikes)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5200) SELECT ${keyId}, 0, 1, 0, 0, 0 FROM n`,
    ),
  )
  const waiting = waitingForLocks(db)
  const addedPerTransaction: unknown[] = []
  await addUpUsage({
    ...db,
    async transaction(work, allowed) {
      const added = await waiting.transaction(work, allowed)
      addedPerTransaction.push(added)
      return added
    },
  })
  expect(addedPerTransaction).toEqual([5_000, 200])
  expect((await findUsage(db, keyId, 'hour', 0, 1)).map(({ allowed }) => allowed)).toEqual([5_200])
})
