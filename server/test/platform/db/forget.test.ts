import { afterAll, expect, test } from 'bun:test'
import { forgetExpiredResponses } from '../../../src/platform/api/idempotency.ts'
import { forget } from '../../../src/platform/db/forget.ts'
import { startService } from '../../harness/service.ts'
import { visitedRows } from '../../harness/visited-rows.ts'

const service = await startService()
afterAll(() => service.stop())
const { db } = service.context
const responses = { table: 'idempotent_responses', key: 'key_id, idempotency_key' }

test('a backlog of several batches is deleted completely, and nothing else is', async () => {
  const rows = Array.from({ length: 2_500 }, (_, index) => `(${index}, 'key', '', 200, ${index})`).join(', ')
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO idempotent_responses (key_id, idempotency_key, fingerprint, status, expires_at) VALUES ${rows}`,
    ),
  )
  await forget(db, { ...responses, isOutdated: (time) => `expires_at < ${time}` }, 2_400)
  const left = await db.query('SELECT count(*) AS count, min(expires_at) AS first FROM idempotent_responses')
  expect(left).toEqual([{ count: 100, first: 2_400 }])
})

test.if(process.env.TEST_ENGINE === 'postgres')(
  "nothing is deleted before it is outdated by the database's clock too",
  async () => {
    const soon = Date.now() + 3_600_000
    await db.transaction((tx) =>
      tx.query(
        `INSERT INTO idempotent_responses (key_id, idempotency_key, fingerprint, status, expires_at) VALUES (1, 'soon', '', 200, ${soon})`,
      ),
    )
    await forgetExpiredResponses(db, soon + 86_400_000)
    expect(await db.query('SELECT idempotency_key FROM idempotent_responses')).toEqual([{ idempotency_key: 'soon' }])
  },
)

test.if(process.env.TEST_ENGINE === 'postgres')('only one node deletes at a time', async () => {
  await db.transaction((tx) =>
    tx.query(
      "INSERT INTO idempotent_responses (key_id, idempotency_key, fingerprint, status, expires_at) VALUES (1, 'old', '', 200, 1)",
    ),
  )
  const left = async () =>
    (await db.query("SELECT 1 AS one FROM idempotent_responses WHERE idempotency_key = 'old'")).length
  await db.transaction(async (tx) => {
    await tx.tryLock('forget idempotent_responses')
    await forgetExpiredResponses(db, 2)
    expect(await left()).toBe(1)
  })
  await forgetExpiredResponses(db, 2)
  expect(await left()).toBe(0)
})

test.if(process.env.TEST_ENGINE === 'postgres')(
  'a batch is read once, although PostgreSQL counted the rows of the log while it was empty',
  async () => {
    const fill = 'INSERT INTO quiet_log (at) SELECT n FROM generate_series(1, 5200) AS n'
    await db.transaction(async (tx) => {
      await tx.query('CREATE TABLE quiet_log (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint)')
      await tx.query('ALTER TABLE quiet_log SET (autovacuum_enabled = false)')
      await tx.query(fill)
      await tx.query('DELETE FROM quiet_log WHERE at < 5200')
    })
    await db.query('VACUUM ANALYZE quiet_log')
    await db.transaction(async (tx) => {
      await tx.query(fill)
      const statement = tx.dialect.deleteRows('quiet_log', 'id', 'ORDER BY id LIMIT 5000')
      // Once to choose them and once to delete them, and again because it looks at the plan first.
      expect(await visitedRows(tx, async ({ query }) => query(statement))).toBeLessThanOrEqual(3 * 5_000)
      await tx.query('DROP TABLE quiet_log')
    })
  },
)
