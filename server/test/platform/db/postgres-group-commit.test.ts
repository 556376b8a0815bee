import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { Count, Database, Insert, RowLock, Transaction } from '../../../src/platform/db/database.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts'
import { eventually } from '../../harness/eventually.ts'

interface Account {
  readonly id: number
  readonly balance: number
}

const account: RowLock<Account> = {
  table: 'accounts',
  select: 'SELECT id, balance FROM accounts WHERE id',
  toRow: (row) => row,
}
const balance: Count = { table: 'accounts', key: 'id', column: 'balance' }
const intoTaken: Insert<{ readonly account: number; readonly left_over: number }> = {
  table: 'taken',
  columns: ['account', 'left_over'],
}

class TooLittle extends Error {}

describe.if(process.env.TEST_ENGINE === 'postgres')('work that begins by locking a row', () => {
  let database: TestDatabase
  let db: Database
  beforeAll(async () => {
    database = await createTestDatabase()
    db = await openPostgres({ url: database.url, connectionsMax: 6, applicationName: 'test' })
    await db.transaction(async (tx) => {
      await tx.query('CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0))')
      await tx.query(`CREATE TABLE taken (
        id bigint GENERATED ALWAYS AS IDENTITY, account bigint NOT NULL, left_over bigint NOT NULL CHECK (left_over <> 1313))`)
    })
  })
  beforeEach(() =>
    db.transaction(async (tx) => {
      await tx.query('DELETE FROM accounts')
      await tx.query('DELETE FROM taken')
      await tx.query('INSERT INTO accounts SELECT id, 50 FROM generate_series(1, 40) AS id')
    }),
  )
  afterAll(async () => {
    await db.close()
    await database.remove()
  })

  /** Takes one. `step` runs after the change. */
  const take = (id: number, step: (tx: Transaction, left: number) => unknown = () => undefined): Promise<number> =>
    db.transaction(
      async (tx) => {
        const row = await tx.lock(account, id)
        if (!row || row.balance === 0) throw new TooLittle()
        const left = row.balance - 1
        tx.add(balance, id, -1)
        tx.insert(intoTaken, [{ account: id, left_over: left }])
        tx.keep(account, { id, balance: left })
        await step(tx, left)
        return left
      },
      undefined,
      { lock: account, id },
    )
  const all = <T>(work: readonly Promise<T>[]) => Promise.allSettled(work)
  const valuesOf = <T>(results: readonly PromiseSettledResult<T>[]) =>
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failuresOf = (results: readonly PromiseSettledResult<unknown>[]) =>
    results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
  const taken = async () =>
    (await db.query<{ left_over: number }>('SELECT left_over FROM taken ORDER BY id')).map((row) => row.left_over)
  const balanceOf = async (id: number) =>
    (await db.query<{ balance: number }>('SELECT balance FROM accounts WHERE id = $1', [id]))[0]?.balance
  const transactions = async () =>
    (await db.query<{ count: number }>('SELECT count(DISTINCT xmin::text)::bigint AS count FROM taken'))[0]?.count
  const countDown = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index)

  test('shares transactions with what waits for the same row, and each decides by what the one before has left', async () => {
    const results = await all(Array.from({ length: 60 }, () => take(1)))
    expect(valuesOf(results)).toEqual(countDown(49, 0))
    expect(failuresOf(results)).toEqual(Array.from({ length: 10 }, () => 'Error'))
    expect(results.slice(50).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'))
    expect([await taken(), await balanceOf(1)]).toEqual([countDown(49, 0), 0])
    expect(await transactions()).toBeLessThanOrEqual(3)
  })

  test('shares them with what waits for other rows', async () => {
    const results = await all(Array.from({ length: 80 }, (_, index) => take((index % 40) + 1)))
    expect(valuesOf(results).toSorted()).toEqual(
      [...countDown(49, 49), ...Array.from({ length: 79 }, () => 0)].map((_, index) => (index < 40 ? 48 : 49)),
    )
    expect(await transactions()).toBeLessThanOrEqual(6)
  })

  test('that fails before it changes anything leaves the others alone', async () => {
    const fail = () =>
      db.transaction(
        async (tx) => {
          await tx.lock(account, 1)
          throw new Error('rejected')
        },
        undefined,
        { lock: account, id: 1 },
      )
    const results = await all([take(1), take(1), fail(), take(1)])
    expect([valuesOf(results), failuresOf(results)]).toEqual([[49, 48, 47], ['Error: rejected']])
    expect([await taken(), await transactions()]).toEqual([[49, 48, 47], 2])
  })

  test.each<[string, Parameters<typeof take>[1]]>([
    ['after a change', () => Promise.reject(new Error('rejected'))],
    [
      'in a step that is undone, and with it',
      (tx) =>
        tx
          .savepoint(async () => {
            tx.insert(intoTaken, [{ account: 1, left_over: 99 }])
            throw new Error('undone')
          })
          .catch(() => Promise.reject(new Error('rejected'))),
    ],
    ['by a statement that is sent', (tx) => tx.insert(intoTaken, [{ account: 1, left_over: 1313 }])],
    [
      'by a statement whose result is awaited',
      (tx) => tx.query('INSERT INTO taken (account, left_over) VALUES (1, 1313)'),
    ],
  ])('that fails %s undoes its own changes only', async (_, step) => {
    const results = await all([take(1), take(1), take(1, step), take(1), take(2)])
    expect(failuresOf(results)).toHaveLength(1)
    expect(results[2]?.status).toBe('rejected')
    expect(valuesOf(results).toSorted()).toEqual([47, 48, 49, 49])
    expect([await balanceOf(1), await balanceOf(2), (await taken()).length]).toEqual([47, 49, 4])
  })

  test('with statements that a shared transaction cannot have runs alone, to the end', async () => {
    const note = (tx: Transaction, left: number) =>
      tx.query('INSERT INTO taken (account, left_over) VALUES (1, $1)', [left + 100])
    const results = await all([take(1), take(1), take(1, note), take(1)])
    expect([valuesOf(results).toSorted(), failuresOf(results)]).toEqual([[46, 47, 48, 49], []])
    expect((await taken()).filter((left) => left > 100)).toHaveLength(1)
  })

  test('that undoes a step after it has changed something, and goes on, keeps only the rest', async () => {
    const step = (tx: Transaction) =>
      tx
        .savepoint(async () => {
          tx.insert(intoTaken, [{ account: 1, left_over: 99 }])
          throw new TooLittle()
        })
        .catch(() => undefined)
    const results = await all([take(1), take(1), take(1, step), take(1)])
    expect([valuesOf(results).toSorted(), failuresOf(results)]).toEqual([[46, 47, 48, 49], []])
    expect([await balanceOf(1), (await taken()).toSorted()]).toEqual([46, [46, 47, 48, 49]])
  })

  test('on a row that another transaction has locked does not hold up other rows, and is done after it', async () => {
    const sql = new SQL(database.url, { max: 1 })
    let locked: Promise<PromiseSettledResult<number>[]> | undefined
    await sql.begin(async (stranger) => {
      await stranger.unsafe('SELECT 1 FROM accounts WHERE id = 2 FOR UPDATE')
      locked = all(Array.from({ length: 20 }, () => take(2)))
      const others = await all(Array.from({ length: 20 }, () => take(4)))
      expect(valuesOf(others)).toEqual(countDown(49, 30))
      await stranger.unsafe('UPDATE accounts SET balance = 10 WHERE id = 2')
    })
    const results = (await locked) ?? []
    expect(valuesOf(results)).toEqual(countDown(9, 0))
    expect(failuresOf(results)).toHaveLength(10)
    await sql.close()
  })

  test('on a row that is not there finds none', async () => {
    const results = await all([take(1), take(1), take(10_000_001), take(1)])
    expect([valuesOf(results), failuresOf(results)]).toEqual([[49, 48, 47], ['Error']])
  })

  test('is all undone, and reported as not done, if the connection is lost before the commit', async () => {
    const results = await all([
      take(1),
      take(1),
      take(1, (tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())')),
      take(1),
    ])
    expect(valuesOf(results)).toEqual([49])
    expect(new Set(failuresOf(results))).toEqual(new Set(['Error: the database is unavailable']))
    expect([await balanceOf(1), await taken()]).toEqual([49, [49]])
  })

  test('waits for its admission by itself, and is not done without it', async () => {
    const admission = Promise.withResolvers<void>()
    const takeIfAllowed = (allowed: Promise<void>) =>
      db.transaction(
        async (tx) => {
          await tx.lock(account, 3)
          tx.add(balance, 3, -1)
          tx.keep(account, { id: 3, balance: 0 })
        },
        allowed,
        { lock: account, id: 3 },
      )
    const first = take(3)
    const waiting = all([takeIfAllowed(admission.promise)])
    expect(await Promise.all([first, take(3)])).toEqual([49, 48])
    admission.reject(new Error('over the limit'))
    expect(failuresOf(await waiting)).toEqual(['Error: over the limit'])
    expect(await balanceOf(3)).toBe(48)
  })

  test('counts as waiting, and is rejected after two seconds behind a lock', async () => {
    const sql = new SQL(database.url, { max: 1 })
    await sql.begin(async (stranger) => {
      await stranger.unsafe('SELECT 1 FROM accounts WHERE id = 6 FOR UPDATE')
      const first = all([take(6)])
      await eventually(async () => {
        const [row] = await db.query<{ count: number }>(
          "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return row?.count === 1
      })
      const behind = all([take(6), take(6)])
      await eventually(() => db.waiting() === 2)
      expect(new Set(failuresOf(await behind))).toEqual(new Set(['Error: the database is unavailable']))
      expect(await take(8)).toBe(49)
      return first
    })
    expect(await balanceOf(6)).toBe(50)
    await sql.close()
  })
})
