import { Database } from 'bun:sqlite'
import { afterAll, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseUnavailable } from '../../../src/platform/db/database.ts'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { patienceMs } from '../../../src/platform/db/sqlite-group-commit.ts'
import { waitMsMax } from '../../../src/platform/db/wait-queue.ts'
import { patiently } from '../../harness/patiently.ts'
import { startService } from '../../harness/service.ts'

// Writes that wait together share one commit on SQLite. PostgreSQL does so automatically, and some share a transaction: see
// postgres-group-commit.test.ts.

/** A test with a separate SQLite database. */
const sqliteTest = (name: string, work: (db: ReturnType<typeof openSqlite>, path: string) => Promise<void>) =>
  test.if(process.env.TEST_ENGINE !== 'postgres')(`on SQLite ${name}`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'petstore-commit-'))
    const path = join(directory, 'test.db')
    const db = openSqlite(path)
    try {
      await work(db, path)
    } finally {
      await db.close()
      rmSync(directory, { recursive: true, force: true })
    }
  })

/** Runs work while time stands still: writes that take long, as on a busy machine, do not share a commit. */
async function inNoTime<T>(work: () => Promise<T>): Promise<T> {
  const clock = spyOn(performance, 'now').mockReturnValue(performance.now())
  return work().finally(() => clock.mockRestore())
}

const service = await startService()
afterAll(() => service.stop())
const api = service.admin

test('a failing write does not undo the other writes of the commit', async () => {
  const categoryId = await api.newCategory()
  const writes = Array.from({ length: 30 }, (_, index) =>
    patiently(() =>
      api.post('/pets', { name: `Pet ${index}`, categoryId: index % 3 === 0 ? 2_000_000_000 : categoryId }),
    ),
  )
  const responses = await Promise.all(writes)
  expect(responses.map(({ status }) => status)).toEqual(responses.map((_, index) => (index % 3 === 0 ? 422 : 201)))
  const { body } = await api.get(`/pets?categoryId=${categoryId}&limit=100`)
  expect(body).toHaveLength(20)
})

test('an acknowledged write can be read immediately', async () => {
  const categoryId = await api.newCategory()
  const writes = Array.from({ length: 30 }, async () => {
    const { body } = await patiently(() => api.post('/pets', { name: 'Rex', categoryId }))
    return (await patiently(() => api.get(`/pets/${body.id}`))).status
  })
  expect(new Set(await Promise.all(writes))).toEqual(new Set([200]))
})

sqliteTest(
  'many writes share a commit, none gets a response before it, and a failing one fails alone',
  async (db, path) => {
    await db.transaction((tx) => tx.query('CREATE TABLE marks (id INTEGER PRIMARY KEY)'))
    // Another connection sees a new data_version after each commit, and only committed rows.
    const observer = new Database(path)
    const version = () => (observer.query('PRAGMA data_version').get() as { data_version: number }).data_version
    const isCommitted = (id: number) => observer.query('SELECT 1 FROM marks WHERE id = ?').get(id) !== null
    let commits = 0
    let last = version()
    const countCommits = () => {
      const now = version()
      if (now !== last) commits++
      last = now
    }
    const write = (id: number) =>
      db
        .transaction(async (tx) => {
          await tx.query('INSERT INTO marks (id) VALUES ($1)', [id])
          countCommits()
          if (id % 10 === 0) throw new Error('rejected')
        })
        .then(
          () => expect(isCommitted(id)).toBeTrue(),
          () => expect(isCommitted(id)).toBeFalse(),
        )
        .finally(countCommits)
    await inNoTime(() => Promise.all(Array.from({ length: 50 }, (_, id) => write(id))))
    expect(commits).toBe(1)
    expect((observer.query('SELECT count(*) AS count FROM marks').get() as { count: number }).count).toBe(45)
    observer.close()
  },
)

sqliteTest(
  'when a write fails halfway, those before it run again, and all others are committed and announced',
  async (db) => {
    await db.transaction((tx) => tx.query('CREATE TABLE marks (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)'))
    const received: string[] = []
    db.listen('news', (payload) => received.push(payload))
    const runs: Record<string, number> = {}
    const write = (name: string, failure?: Error) =>
      db
        .transaction(async (tx) => {
          runs[name] = (runs[name] ?? 0) + 1
          tx.notify('news', name)
          if (failure && name === 'early') throw failure
          const id = await tx.nextId('marks')
          tx.send('INSERT INTO marks (id, name) VALUES ($1, $2)', [id, name])
          if (failure) throw failure
          return id
        })
        .catch((error: unknown) => error)
    const [early, halfway, last] = [new Error('early'), new Error('halfway'), new Error('last')]
    const responses = await inNoTime(() =>
      Promise.all([
        write('first'),
        write('early', early),
        write('second'),
        write('halfway', halfway),
        write('third'),
        write('last', last),
        write('fourth'),
      ]),
    )
    expect(responses).toEqual([1, early, 2, halfway, 3, last, 4])
    expect(await db.query('SELECT name FROM marks ORDER BY id')).toEqual(
      ['first', 'second', 'third', 'fourth'].map((name) => ({ name })),
    )
    expect(received).toEqual(['first', 'second', 'third', 'fourth'])
    expect(runs).toEqual({ first: 2, early: 2, second: 2, halfway: 1, third: 1, last: 1, fourth: 1 })
  },
)

sqliteTest('a failing listener does not make a committed write fail, and later notices still arrive', async (db) => {
  const received: string[] = []
  db.listen('news', (payload) => {
    received.push(payload)
    if (payload === 'first') throw new Error('a listener that fails')
  })
  const notify = (payload: string) => db.transaction(async (tx) => tx.notify('news', payload))
  await Promise.all([notify('first'), db.transaction((tx) => tx.query('CREATE TABLE marks (id INTEGER)'))])
  expect(await db.query('SELECT id FROM marks')).toEqual([])
  await notify('second')
  expect(received).toEqual(['first', 'second'])
})

sqliteTest(
  'reads in one tick see one snapshot, but own writes immediately; writes of other processes in the next tick',
  async (db, path) => {
    const elsewhere = new Database(path)
    const seen = async () => (await db.query<{ id: number }>('SELECT id FROM marks ORDER BY id')).map(({ id }) => id)
    await db.transaction((tx) => tx.query('CREATE TABLE marks (id INTEGER PRIMARY KEY)'))
    expect(await seen()).toEqual([])
    elsewhere.run('INSERT INTO marks (id) VALUES (1)')
    expect(await seen()).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(await seen()).toEqual([1])
    const reading = seen()
    await db.transaction((tx) => tx.query('INSERT INTO marks (id) VALUES (2)'))
    expect(await reading).toEqual([1])
    expect(await seen()).toEqual([1, 2])
    elsewhere.close()
  },
)

sqliteTest('a write that waits too long is rejected and never done', async (db) => {
  await db.transaction((tx) => tx.query('CREATE TABLE marks (id INTEGER PRIMARY KEY)'))
  const slow = db.transaction(() => Bun.sleep(patienceMs + 200))
  const late = db.transaction((tx) => tx.query('INSERT INTO marks (id) VALUES (1)'))
  const rejection = await late.catch((error: unknown) => error)
  expect(rejection).toBeInstanceOf(DatabaseUnavailable)
  expect((rejection as DatabaseUnavailable).effect).toBe('none')
  await slow
  await db.transaction((tx) => tx.query('INSERT INTO marks (id) VALUES (2)'))
  expect(await db.query('SELECT id FROM marks')).toEqual([{ id: 2 }])
})

sqliteTest('there is no room late in a long tick of the event loop, but again in the next', async (db) => {
  const room = () => [db.hasRoomFor('read'), db.hasRoomFor('write')]
  expect(room()).toEqual([true, true])
  const end = performance.now() + waitMsMax / 2
  while (performance.now() < end);
  expect(room()).toEqual([false, false])
  await new Promise((resolve) => setImmediate(resolve))
  expect(room()).toEqual([true, true])
})

test('without room, a request is rejected before its body is read, but GET /limits gets a response', async () => {
  const { db } = service.context
  const { hasRoomFor } = db
  Object.assign(db, { hasRoomFor: () => false })
  const responses = [await api.post('/pets', 'no JSON'), await api.get('/pets'), await api.get('/limits')]
  Object.assign(db, { hasRoomFor })
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 200])
})

sqliteTest('concurrent reads do not make the log grow', async (db, path) => {
  await db.transaction((tx) => tx.query('CREATE TABLE marks (id INTEGER PRIMARY KEY, text TEXT)'))
  const text = 'x'.repeat(16 * 1024)
  for (let id = 1; id <= 1_500; id++) {
    const written = db.transaction((tx) => tx.query('INSERT INTO marks (id, text) VALUES ($1, $2)', [id, text]))
    await Promise.all([written, db.query('SELECT id FROM marks WHERE id = $1', [id])])
  }
  // 24 MiB were written; SQLite restarts the log after 4.
  expect(Bun.file(`${path}-wal`).size).toBeLessThan(8 * 1024 * 1024)
})
