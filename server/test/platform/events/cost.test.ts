import { afterAll, expect, test } from 'bun:test'
import type { Queryable } from '../../../src/platform/db/database.ts'
import { readLog, readLogBackwards } from '../../../src/platform/events/log.ts'
import { beginning, type Position } from '../../../src/platform/events/position.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
const db = service.context.db
afterAll(() => service.stop())

test('reading takes the same work at the start and at the end of the log, in either direction', async () => {
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
       SELECT i / 3, 'pet.created', '{}', i FROM n`,
    ),
  )
  await db.transaction((tx) => tx.query('ANALYZE events'))
  const [last] = await db.query<Position>('SELECT tx, id FROM events ORDER BY tx DESC, id DESC LIMIT 1')
  const explain = { sqlite: 'EXPLAIN QUERY PLAN', postgres: 'EXPLAIN' }[db.dialect.engine]
  for (const position of [beginning, { tx: 9_000, id: 0 }, last as Position]) {
    const planned: Queryable = { ...db, query: (sql, params) => db.query(`${explain} ${sql}`, params) }
    for (const read of [readLog, readLogBackwards]) {
      const plan = (await read(planned, position, 100)).map((line) => Object.values(line).join(' ')).join('\n')
      expect(plan).toMatch(/Index Scan (Backward )?using events_by_place|SEARCH events USING INDEX events_by_place/)
      expect(plan).toMatch(/Index Cond: \(\(ROW\(tx, id\) [<>] ROW|events_by_place \(tx[<>]\?\)/)
      expect(plan).not.toMatch(/Sort|TEMP B-TREE/)
    }
  }
})
