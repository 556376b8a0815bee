import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database, Transaction, Value } from '../../../src/platform/db/database.ts'
import { pruneEvents } from '../../../src/platform/events/prune.ts'
import { dayMs } from '../../../src/platform/lib/time.ts'
import { type Service, startService, waitForLog } from '../../harness/service.ts'
import { latest } from '../feed/reader.ts'

let service: Service
let db: Database
beforeEach(async () => {
  service = await startService()
  db = service.context.db
})
afterEach(() => service.stop())

/** Adds events with the same date to the log, all with the last transaction number in it. */
const fillLog = (count: number, at: number) =>
  db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       SELECT (SELECT coalesce(max(tx), 0) FROM events), 'pet.created', '{}', ${at} FROM n`,
    ),
  )

const limits = () => ({ now: service.clock.now(), before: service.clock.now() - 30 * dayMs })

const count = async () => (await db.query<{ count: number }>('SELECT count(*) AS count FROM events'))[0]?.count

/** Prunes until this many are left: PostgreSQL prunes no event that a running transaction could still precede. */
async function pruneTo(kept: number): Promise<void> {
  while (((await count()) ?? 0) > kept) await pruneEvents(db, limits())
}

for (const dated of [1, 2_500]) {
  test(`events dated in the future, ${dated} of them, do not protect older ones that follow`, async () => {
    const now = service.clock.now()
    await db.transaction((tx) => tx.query('UPDATE events SET at = $1', [now - 40 * dayMs]))
    await fillLog(dated, now + 365 * dayMs)
    await fillLog(1_200, now - 40 * dayMs)
    await fillLog(3, now - dayMs)
    await fillLog(2, now + dayMs)
    await pruneTo(5)
    await pruneEvents(db, limits())
    expect(await count()).toBe(5)
  })
}

test('one run prunes every event before the time, in as many batches as it takes, and none from then on', async () => {
  const { before } = limits()
  await fillLog(2_300, before - 1)
  await fillLog(2, before)
  await waitForLog(db)
  await pruneEvents(db, limits())
  expect(await count()).toBe(2)
})

test('the events of one large transaction are read and pruned by id, at any position in it', async () => {
  const from = await latest(service.admin)
  await fillLog(3_000, 0)
  const statements: [sql: string, params: readonly Value[]][] = []
  const explaining = (tx: Transaction): Transaction => {
    const note = (sql: string, params: readonly Value[] = []) =>
      sql.includes('FROM events') && statements.push([sql, params])
    return {
      ...tx,
      query(sql, params) {
        note(sql, params)
        return tx.query(sql, params)
      },
      send(sql, params) {
        note(sql, params)
        tx.send(sql, params)
      },
    }
  }
  const pruned: Database = {
    ...db,
    transaction: (work, allowed) => db.transaction((tx) => work(explaining(tx)), allowed),
  }
  while (((await count()) ?? 0) > 0) await pruneEvents(pruned, limits())
  expect(statements.length).toBeGreaterThanOrEqual(6)
  await fillLog(3_000, 0)
  const explain = { sqlite: 'EXPLAIN QUERY PLAN', postgres: 'EXPLAIN' }[db.dialect.engine]
  for (const [sql, params] of statements) {
    const plan = (await db.query<object>(`${explain} ${sql}`, params)).map((line) => Object.values(line).join(' '))
    expect(plan.join('\n')).toMatch(/ROW\(tx, id\)|\(id = |tx=\? AND id>\?|INTEGER PRIMARY KEY \(rowid=\?\)/)
  }
  const page = await service.admin.get(`/events?after=${from}`)
  expect([page.status, page.body.code]).toEqual([410, 'events_pruned'])
})
