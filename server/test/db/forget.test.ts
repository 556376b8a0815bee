import { afterAll, expect, test } from 'bun:test'
import { forget } from '../../src/db/forget.ts'
import { startService } from '../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { db } = service.context

test('a backlog of several portions is forgotten whole, and nothing else is', async () => {
  const rows = Array.from({ length: 2_500 }, (_, index) => `(${index}, 'key', '', 200, ${index})`).join(', ')
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO idempotent_answers (key_id, idempotency_key, fingerprint, status, expires_at) VALUES ${rows}`,
    ),
  )
  await forget(db, {
    table: 'idempotent_answers',
    key: 'key_id, idempotency_key',
    condition: 'expires_at < $1',
    params: [2_400],
  })
  const left = await db.query('SELECT count(*) AS count, min(expires_at) AS first FROM idempotent_answers')
  expect(left).toEqual([{ count: 100, first: 2_400 }])
})
