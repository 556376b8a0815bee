import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Database, Transaction } from '../../src/db/database.ts'
import { findLogEnd, readLog } from '../../src/events/log.ts'
import { continuePositions } from '../../src/events/numbering.ts'
import { beginning, eventIdOf, isBefore, type Position, parseEventId } from '../../src/events/position.ts'
import { recordEvent } from '../../src/events/record.ts'
import { failureOf } from '../harness/failure-of.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
let db: Database
beforeAll(async () => {
  service = await startService()
  db = service.context.db
})
afterAll(() => service.stop())

/** Records an event, and waits until the database has it. */
async function note(tx: Transaction, name: string): Promise<void> {
  recordEvent(tx, { now: 0 }, { type: 'pet.created', data: { name } })
  await tx.query('SELECT 1')
}

/** Follows the log from a place on until all of these have been seen, as a reader would. Those of them it saw, in order. */
async function follow(from: Position, awaited: ReadonlySet<string>): Promise<string[]> {
  const [seen, wanted] = [[] as string[], new Set(awaited)]
  for (let place = from; wanted.size > 0; ) {
    const rows = await readLog(db, place, 7)
    for (const row of rows) {
      expect(isBefore(place, row)).toBeTrue()
      place = row
      const { name } = JSON.parse(row.data)
      if (awaited.has(name)) seen.push(name)
      wanted.delete(name)
    }
    if (rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return seen
}

test('a reader sees each event once, though transactions commit in another order than they began in', async () => {
  const from = await findLogEnd(db)
  const names = Array.from({ length: 60 }, (_, index) => `slow ${index}`)
  // Six at a time, each of which writes at once and then takes its time: on PostgreSQL they commit in another order than they began in.
  const write = (name: string, index: number) =>
    db.transaction(async (tx) => {
      await note(tx, name)
      if (tx.dialect.engine === 'postgres') await tx.query(`SELECT pg_sleep(${((index * 7) % 10) / 20})`)
      await note(tx, `${name} again`)
    })
  const writing = Array.from({ length: 6 }, async (_, first) => {
    for (let index = first; index < names.length; index += 6) await write(names[index] as string, index)
  })
  const all = names.flatMap((name) => [name, `${name} again`])
  const [seen] = await Promise.all([follow(from, new Set(all)), ...writing])
  expect(seen.toSorted()).toEqual(all.toSorted())
  for (const name of names) expect(seen.indexOf(name)).toBe(seen.indexOf(`${name} again`) - 1)
}, 60_000)

test('what a transaction that is still open wrote first holds back what others have committed since', async () => {
  const from = await findLogEnd(db)
  const { promise: opened, resolve: isOpen } = Promise.withResolvers<void>()
  const { promise: closing, resolve: close } = Promise.withResolvers<void>()
  const isConcurrent = db.dialect.engine === 'postgres'
  const slow = db.transaction(async (tx) => {
    await note(tx, 'began first')
    isOpen()
    // The one that writes alone cannot be overtaken.
    if (isConcurrent) await closing
  })
  await opened
  await db.transaction((tx) => note(tx, 'began second'))
  if (isConcurrent) expect(await readLog(db, from, 10)).toEqual([])
  close()
  await slow
  expect(await follow(from, new Set(['began first', 'began second']))).toEqual(['began first', 'began second'])
})

test('what was rolled back was never in the log', async () => {
  const from = await findLogEnd(db)
  const failed = db.transaction(async (tx) => {
    await note(tx, 'undone')
    throw new Error('no')
  })
  expect(String(await failureOf(failed))).toContain('no')
  await db.transaction((tx) => note(tx, 'done'))
  expect(await follow(from, new Set(['done']))).toEqual(['done'])
})

test('in a database that was restored or copied, places go on growing', async () => {
  await db.transaction((tx) => note(tx, 'before'))
  // As the events of another server, which has numbered a million transactions more.
  await db.transaction((tx) => tx.query('UPDATE events SET tx = tx + 1000000'))
  const [last] = await db.query<Position>('SELECT tx, id FROM events ORDER BY tx DESC, id DESC LIMIT 1')
  await db.transaction((tx) => continuePositions(tx, 0))
  await db.transaction((tx) => continuePositions(tx, 0))
  await db.transaction((tx) => note(tx, 'after'))
  expect(await follow(last as Position, new Set(['after']))).toEqual(['after'])
})

test('they do so where all that the other server had recorded was pruned there', async () => {
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

test('an id is a place and the other way round, and nothing else is one', () => {
  for (const place of [beginning, { tx: 0, id: 7 }, { tx: 2 ** 53 - 1, id: 2 ** 53 - 1 }]) {
    expect(parseEventId(eventIdOf(place))).toEqual(place)
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

test('few events have the same number of a transaction, so what begins with it is a place of its own', async () => {
  const from = await findLogEnd(db)
  await db.transaction((tx) => note(tx, 'one'))
  await db.transaction((tx) => note(tx, 'two'))
  await follow(from, new Set(['one', 'two']))
  const rows = await readLog(db, from, 10)
  expect(new Set(rows.map(({ tx }) => tx)).size).toBe(rows.length)
})
