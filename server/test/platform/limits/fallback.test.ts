import { expect, test } from 'bun:test'
import type { Queryable } from '../../../src/platform/db/database.ts'
import { dayMs } from '../../../src/platform/lib/time.ts'
import { createFallback } from '../../../src/platform/limits/fallback.ts'
import { failureOf } from '../../harness/failure-of.ts'

// What a node admits on its own while the shared counters are away.

test('counts that could not be reported are reported with the next try, once', async () => {
  const fallback = createFallback()
  const call = { kind: 'admit', limits: { perMinute: 60, perDay: 1_000 }, now: Date.UTC(2026, 10, 15, 12), cost: 7 }
  for (const subject of ['key 1', 'key 2', 'key 2']) fallback.decide({ ...call, subject } as never)
  const reports: unknown[] = []
  let isAway = true
  const db: Queryable = {
    dialect: {} as Queryable['dialect'],
    query: async (_sql, params) => {
      reports.push(params)
      if (isAway) throw new Error('away')
      return []
    },
  }
  expect(String(await failureOf(fallback.report(db, 1_000)))).toContain('away')
  isAway = false
  await fallback.report(db, 1_000)
  expect(reports).toHaveLength(2)
  expect(reports[1]).toEqual(reports[0])
  const [subjects, periods, , counts] = reports[1] as string[]
  expect([subjects, periods, counts]).toEqual([
    '{"key 1","key 1","key 2","key 2"}',
    '{"day","minute","day","minute"}',
    '{"7","7","14","14"}',
  ])
  await fallback.report(db, 1_000)
  expect(reports).toHaveLength(2)
})

test('calls that the shared counters did count, late, are not reported again', async () => {
  const fallback = createFallback()
  const now = Date.UTC(2026, 10, 15, 12)
  const [subject, cost] = ['key 1', 7]
  const call = { kind: 'admit', subject, limits: { perMinute: 60, perDay: 1_000 }, now, cost }
  for (let count = 0; count < 3; count++) fallback.decide(call as never)
  const group = { subject, minute: now, day: Math.floor(now / dayMs) * dayMs, cost }
  fallback.cancel([group as never], [{ admitted: 3, newStrikes: 0 } as never])
  const reports: unknown[] = []
  const query = async (_sql: string, params: unknown) => {
    reports.push(params)
    return []
  }
  await fallback.report({ dialect: {}, query } as never, 1_000)
  expect(reports).toEqual([])
})
