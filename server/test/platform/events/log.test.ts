import { afterAll, expect, test } from 'bun:test'
import type { Queryable, Transaction } from '../../../src/platform/db/database.ts'
import { findLogEnd, readLog, scanEvents } from '../../../src/platform/events/log.ts'
import { continuePositions } from '../../../src/platform/events/numbering.ts'
import { beginning, eventIdOf, isBefore, type Position, parseEventId } from '../../../src/platform/events/position.ts'
import { recordEvent } from '../../../src/platform/events/record.ts'
import { eventually } from '../../harness/eventually.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { openTransaction } from '../../harness/open-transaction.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
const db = service.context.db
afterAll(() => service.stop())

/** Records an event, and waits for the database. */
async function note(tx: Transaction, name: string): Promise<void> {
  recordEvent(tx, { now: 0 }, { type: 'pet.created', data: { name } })
  await tx.query('SELECT 1')
}

/** Follows the log from a position like a reader, until all expected events were seen. Returns those in order. */
async function follow(from: Position, awaited: ReadonlySet<string>, log: Queryable = db): Promise<string[]> {
  const [seen, wanted] = [[] as string[], new Set(awaited)]
  for (let position = from; wanted.size > 0; ) {
    const rows = await eventually(
      async () => {
        const page = await readLog(log, position, 7)
        return page.length > 0 && page
      },
      () => ({ seen, wanted: [...wanted] }),
    )
    for (const row of rows) {
      expect(isBefore(position, row)).toBeTrue()
      position = row
      const { name } = JSON.parse(row.data)
      if (awaited.has(name)) seen.push(name)
      wanted.delete(name)
    }
  }
  return seen
}

test('a reader sees each event once, although transactions commit in another order than they began', async () => {
  const from = await findLogEnd(db)
  const names = Array.from({ length: 60 }, (_, index) => `slow ${index}`)
  // Six at a time; each writes immediately and then waits, so that on PostgreSQL they commit in another order than they began.
  const write = (name: string, index: number) =>
    db.transaction(async (tx) => {
      await note(tx, name)
      if (tx.dialect.engine === 'postgres') await tx.query(`SELECT pg_sleep(${((index * 7) % 10) / 100})`)
      await note(tx, `${name} again`)
    })
  const writing = Array.from({ length: 6 }, async (_, first) => {
    for (let index = first; index < names.length; index += 6) await write(names[index] as string, index)
  })
  const all = names.flatMap((name) => [name, `${name} again`])
  const [seen] = await Promise.all([follow(from, new Set(all)), ...writing])
  expect(seen.toSorted()).toEqual(all.toSorted())
  for (const name of names) expect(seen.indexOf(name)).toBe(seen.indexOf(`${name} again`) - 1)
})

test('events of an open transaction hold back events that others committed later', async () => {
  const from = await findLogEnd(db)
  const { promise: opened, resolve: isOpen } = Promise.withResolvers<void>()
  const { promise: closing, resolve: close } = Promise.withResolvers<void>()
  const isConcurrent = db.dialect.engine === 'postgres'
  const slow = db.transaction(async (tx) => {
    await note(tx, 'began first')
    isOpen()
    // On SQLite only one transaction writes at a time.
    if (isConcurrent) await closing
  })
  await opened
  await db.transaction((tx) => note(tx, 'began second'))
  if (isConcurrent) expect(await readLog(db, from, 10)).toEqual([])
  close()
  await slow
  expect(await follow(from, new Set(['began first', 'began second']))).toEqual(['began first', 'began second'])
})

test.if(process.env.TEST_ENGINE === 'postgres')(
  'a transaction in another database holds events back until it ends, and none is lost',
  async () => {
    const from = await findLogEnd(db)
    await (async () => {
      await using _open = await openTransaction()
      await db.transaction((tx) => note(tx, 'first'))
      await db.transaction((tx) => note(tx, 'second'))
      expect(await readLog(db, from, 10)).toEqual([])
    })()
    expect(await follow(from, new Set(['first', 'second']))).toEqual(['first', 'second'])
  },
)

test('rolled back events never appear in the log', async () => {
  const from = await findLogEnd(db)
  const failed = db.transaction(async (tx) => {
    await note(tx, 'undone')
    throw new Error('no')
  })
  expect(String(await failureOf(failed))).toContain('no')
  await db.transaction((tx) => note(tx, 'done'))
  expect(await follow(from, new Set(['done']))).toEqual(['done'])
})

test('in a restored or copied database, positions keep increasing', async () => {
  await db.transaction((tx) => note(tx, 'before'))
  // Like events of another server whose transaction numbers are a million higher.
  await db.transaction((tx) => tx.query('UPDATE events SET tx = tx + 1000000'))
  const [last] = await db.query<Position>('SELECT tx, id FROM events ORDER BY tx DESC, id DESC LIMIT 1')
  await db.transaction((tx) => continuePositions(tx, 0))
  await db.transaction((tx) => continuePositions(tx, 0))
  await db.transaction((tx) => note(tx, 'after'))
  expect(await follow(last as Position, new Set(['after']))).toEqual(['after'])
})

test('they do so even if all events of the other server were pruned', async () => {
  await db.transaction((tx) => note(tx, 'pruned'))
  const last = await findLogEnd(db)
  const there = { tx: last.tx + 1_000_000, id: last.id }
  await db.transaction(async (tx) => {
    await tx.query('DELETE FROM events')
    await tx.query(
      `INSERT INTO event_log (one, base, pruned_tx, pruned_id) VALUES (1, 0, $1, $2)
       ON CONFLICT (one) DO UPDATE SET pruned_tx = excluded.pruned_tx, pruned_id = excluded.pruned_id`,
      [there.tx, there.id],
    )
  })
  await db.transaction((tx) => continuePositions(tx, 0))
  await db.transaction((tx) => continuePositions(tx, 0))
  expect(await findLogEnd(db)).toEqual(there)
  await db.transaction((tx) => note(tx, 'after all'))
  expect(await follow(there, new Set(['after all']))).toEqual(['after all'])
})

test('event ids and positions convert both ways, and nothing else is an event id', () => {
  for (const position of [beginning, { tx: 0, id: 7 }, { tx: 2 ** 53 - 1, id: 2 ** 53 - 1 }]) {
    expect(parseEventId(eventIdOf(position))).toEqual(position)
  }
  const others = [
    '',
    'evt_',
    'evt_1',
    'evt_01_1',
    'evt_1_1 ',
    'EVT_1_1',
    'evt_A_1',
    'evt_1_1_1',
    `evt_${'z'.repeat(11)}_1`,
  ]
  for (const id of others) expect(parseEventId(id)).toBeUndefined()
})

test('few events share a transaction number, so an id that starts with it has its own position', async () => {
  const from = await findLogEnd(db)
  await db.transaction((tx) => note(tx, 'one'))
  await db.transaction((tx) => note(tx, 'two'))
  await follow(from, new Set(['one', 'two']))
  const rows = await readLog(db, from, 10)
  expect(new Set(rows.map(({ tx }) => tx)).size).toBe(rows.length)
})

test('a service that starts on a restored or copied database continues after its events', async () => {
  await db.transaction((tx) => note(tx, 'restored'))
  await db.transaction((tx) => tx.query('UPDATE events SET tx = tx + 1000000'))
  const [last] = await db.query<Position>('SELECT tx, id FROM events ORDER BY tx DESC, id DESC LIMIT 1')
  await service.restart()
  const { db: reopened } = service.context
  await reopened.transaction((tx) => note(tx, 'since then'))
  const [event] = await reopened.query<Position>('SELECT tx, id FROM events ORDER BY id DESC LIMIT 1')
  expect(isBefore(last as Position, event as Position)).toBeTrue()
  expect(await follow(last as Position, new Set(['since then']), reopened)).toEqual(['since then'])
})

test('a scan of a log of several batches finds each event of its type once', async () => {
  const { db } = service.context
  await db.transaction((tx) =>
    tx.query(
      `INSERT INTO events (tx, type, data, at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5100)
       SELECT 1, CASE WHEN i % 100 = 0 THEN 'order.placed' ELSE 'pet.created' END, '{}', 0 FROM n`,
    ),
  )
  const found: number[] = []
  for await (const { id } of scanEvents(db, 'order.placed')) if (found.push(id) > 51) break
  expect([found.length, new Set(found).size]).toEqual([51, 51])
})
