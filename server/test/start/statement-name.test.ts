import { expect, test } from 'bun:test'
import { nameStatement, observeDatabase } from '../../src/platform/telemetry/database-metrics.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { createMetrics } from '../../src/platform/telemetry/metrics.ts'

test.each([
  ['SELECT id FROM pets WHERE id = $1', 'SELECT pets'],
  ['SELECT id FROM (SELECT 1 FROM orders) AS some', 'SELECT orders'],
  ['SELECT id FROM webhooks WHERE id = $1 FOR UPDATE', 'SELECT webhooks'],
  ['SELECT pg_notify($1, $2)', 'SELECT pg_notify'],
  ['INSERT INTO usage_days (day) VALUES ($1) ON CONFLICT (day) DO UPDATE SET day = 1', 'INSERT usage_days'],
  ['WITH w0 AS (INSERT INTO events (id) VALUES ($1)) UPDATE orders SET id = $2', 'INSERT events, UPDATE orders'],
  ['DELETE FROM bans WHERE id IN (SELECT id FROM bans)', 'DELETE bans'],
  ['BEGIN IMMEDIATE', 'BEGIN'],
  ['COMMIT', 'COMMIT'],
])('%s is named', (sql, name) => {
  expect(nameStatement(sql)).toBe(name)
})

function startObserving() {
  const metrics = createMetrics()
  const log = createLog(
    'silent',
    () => undefined,
    () => 0,
  )
  const observer = observeDatabase({ metrics, log, slowMs: 1_000 })
  const seriesOf = async (name: string) =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith(`${name}{`))
  return { observer, metrics, seriesOf }
}

test('there are few names, however many statements there are', async () => {
  const { observer, seriesOf } = startObserving()
  for (let table = 0; table < 1_000; table++) observer.ran(`SELECT id FROM table${table}`, 1)
  const lines = await seriesOf('petstore_statements_total')
  expect(lines).toHaveLength(301)
  expect(lines.at(-1)).toBe('petstore_statements_total{statement="other"} 700')
})

test('every failed statement is counted once, by its code', async () => {
  const { observer, seriesOf } = startObserving()
  for (const code of ['SQLITE_FULL', '57P01', 'SQLITE_FULL', '']) observer.failed(code)
  const name = 'petstore_database_errors_total'
  expect(await seriesOf(name)).toEqual([
    `${name}{code="SQLITE_FULL"} 2`,
    `${name}{code="57P01"} 1`,
    `${name}{code="none"} 1`,
  ])
  for (let code = 0; code < 60; code++) observer.failed(`code${code}`)
  expect((await seriesOf(name)).at(-1)).toBe(`${name}{code="other"} 13`)
})

test('commits are counted by how long they took', async () => {
  const { observer, metrics } = startObserving()
  for (const ms of [2, 4]) observer.ran('COMMIT', ms)
  const text = await metrics.render()
  expect(text).toContain('\npetstore_commit_duration_seconds_count 2\n')
  expect(text).toContain('\npetstore_commit_duration_seconds_sum 0.006\n')
})
