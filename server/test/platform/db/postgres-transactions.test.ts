import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Database, Transaction } from '../../../src/platform/db/database.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts'
import { eventually } from '../../harness/eventually.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { writePatiently } from '../../harness/patiently.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')('transactions on PostgreSQL', () => {
  let database: TestDatabase
  let db: Database
  beforeAll(async () => {
    database = await createTestDatabase()
    db = await openPostgres({ url: database.url, connectionsMax: 4, applicationName: 'test' })
    await db.transaction((tx) =>
      tx.query('CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0))'),
    )
  })
  beforeEach(() =>
    db.transaction(async (tx) => {
      await tx.query('DELETE FROM accounts')
      await tx.query('INSERT INTO accounts VALUES (1, 0), (2, 0)')
    }),
  )
  afterAll(async () => {
    await db.close()
    await database.remove()
  })

  const balances = async () => (await db.query('SELECT balance FROM accounts ORDER BY id')) as { balance: number }[]

  test('a session that has prepared very many statements is replaced', async () => {
    const few = await openPostgres({ url: database.url, connectionsMax: 2, applicationName: 'test' })
    const padding = 'x'.repeat(500)
    const sizes: number[] = []
    for (let count = 0; count < 2_500; count++) {
      expect(await few.query(`SELECT $1::bigint AS count -- ${padding} ${count}`, [count])).toEqual([{ count }])
      if (count % 100 > 0) continue
      const [row] = await few.query<{ size: number }>(
        'SELECT coalesce(sum(length(statement)), 0)::bigint AS size FROM pg_prepared_statements',
      )
      sizes.push(row?.size ?? 0)
    }
    await few.close()
    expect(Math.max(...sizes)).toBeGreaterThan(100_000)
    expect(Math.max(...sizes)).toBeLessThan(600_000)
  })

  test('what one reads for update, no other reads for update before its end', async () => {
    const add = () =>
      db.transaction(async (tx) => {
        const find = `SELECT balance FROM accounts WHERE id = 1 ${tx.dialect.forUpdate}`
        const [{ balance } = { balance: 0 }] = await tx.query<{ balance: number }>(find)
        await tx.query('UPDATE accounts SET balance = $1 WHERE id = 1', [balance + 1])
      })
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await balances()).toEqual([{ balance: 20 }, { balance: 0 }])
    for (const { open, max } of db.pools()) expect(open).toBeLessThanOrEqual(max)
  })

  test('what one has read for update is skipped by one that asks for that, and not waited for', async () => {
    const read = (tx: Transaction) =>
      tx.query<{ id: number }>(`SELECT id FROM accounts ORDER BY id LIMIT 1 ${tx.dialect.forUpdateSkippingLocked}`)
    const both = await db.transaction(async (tx) => [await read(tx), await db.transaction(read)])
    expect(both).toEqual([[{ id: 1 }], [{ id: 2 }]])
  })

  test('connections are opened when they are needed, or all of them at the start', async () => {
    const open = (openAll: boolean) =>
      openPostgres({ url: database.url, connectionsMax: 3, applicationName: 'test', isForCounters: true, openAll })
    const both = await Promise.all([open(true), open(false)])
    expect(both.map((each) => each.pools()[0]?.open)).toEqual([3, 0])
    for (const each of both) await each.close()
  })

  test('of two that deadlock, the one that the server aborts is retried, and both succeed', async () => {
    let runs = 0
    let arrived = 0
    const bothHaveOneLock = Promise.withResolvers<void>()
    const add = (first: number, second: number) =>
      db.transaction(async (tx) => {
        runs++
        await tx.query('UPDATE accounts SET balance = balance + 1 WHERE id = $1', [first])
        if (++arrived === 2) bothHaveOneLock.resolve()
        await bothHaveOneLock.promise
        await tx.query('UPDATE accounts SET balance = balance + 1 WHERE id = $1', [second])
      })
    await Promise.all([add(1, 2), add(2, 1)])
    // More than three where the retried transaction takes its first lock before the other one wakes up.
    expect(runs).toBeGreaterThanOrEqual(3)
    expect(await balances()).toEqual([{ balance: 2 }, { balance: 2 }])
  })

  test('so is one whose sent statement deadlocks', async () => {
    let runs = 0
    let arrived = 0
    const bothHaveOneLock = Promise.withResolvers<void>()
    const add = (first: number, second: number) =>
      db.transaction(async (tx) => {
        runs++
        await tx.query('UPDATE accounts SET balance = balance + 1 WHERE id = $1', [first])
        if (++arrived === 2) bothHaveOneLock.resolve()
        await bothHaveOneLock.promise
        tx.send('UPDATE accounts SET balance = balance + 1 WHERE id = $1', [second])
        await tx.query('SELECT 1')
      })
    await Promise.all([add(1, 2), add(2, 1)])
    // More than three where the retried transaction takes its first lock before the other one wakes up.
    expect(runs).toBeGreaterThanOrEqual(3)
    expect(await balances()).toEqual([{ balance: 2 }, { balance: 2 }])
  })

  test('a failed statement in a savepoint undoes only the savepoint', async () => {
    await db.transaction(async (tx) => {
      await tx.query('UPDATE accounts SET balance = 10 WHERE id = 1')
      const rejected = tx.savepoint(async () => {
        await tx.query('UPDATE accounts SET balance = 20 WHERE id = 1')
        await tx.query('UPDATE accounts SET balance = -1 WHERE id = 2')
      })
      expect(String(await failureOf(rejected))).toContain('check constraint violated')
      await tx.query('UPDATE accounts SET balance = balance + 5 WHERE id = 1')
    })
    expect((await balances())[0]).toEqual({ balance: 15 })
  })

  test('a connection that is lost in a transaction undoes its statements', async () => {
    const before = await balances()
    const dying = db.transaction(async (tx) => {
      await tx.query('UPDATE accounts SET balance = 99 WHERE id = 1')
      const [own] = await tx.query<{ pid: number }>('SELECT pg_backend_pid()::bigint AS pid')
      await db.query('SELECT pg_terminate_backend($1::int)', [own?.pid ?? 0])
      await tx.query('UPDATE accounts SET balance = 99 WHERE id = 2')
    })
    expect(String(await failureOf(dying))).toContain('the database is unavailable')
    expect(await balances()).toEqual(before)
  })

  test('an integer above 2^53 is not rounded to another id', async () => {
    await db.transaction((tx) => tx.query('INSERT INTO accounts VALUES (9007199254740992, 1)'))
    expect(await db.query('SELECT balance FROM accounts WHERE id = $1', [9007199254740993n])).toEqual([])
    expect(await db.query('SELECT balance FROM accounts WHERE id = $1', [9007199254740992n])).toEqual([{ balance: 1 }])
  })

  test('the server ends a statement and an idle transaction after four seconds, on every connection', async () => {
    const limits = `SELECT current_setting('statement_timeout') AS statement,
      current_setting('idle_in_transaction_session_timeout') AS idle`
    const expected = { statement: '4s', idle: '4s' }
    expect(await db.query(limits)).toEqual([expected])
    expect(await db.aside.query(limits)).toEqual([expected])
    expect(await db.transaction((tx) => tx.query(limits))).toEqual([expected])
  })

  test('a statement that runs too long is ended by the server, and the connection is used again', async () => {
    await using impatient = await openPostgres({
      url: database.url,
      connectionsMax: 1,
      applicationName: 'test',
      patienceMs: 300,
    })
    await failureOf(Promise.try(() => impatient.query('SELECT pg_sleep(60)')))
    const running = () =>
      db.query("SELECT 1 AS one FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)' AND state = 'active'")
    await eventually(async () => (await running()).length === 0)
    expect(await impatient.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('a connection whose work was cancelled is not used again: a late cancellation would hit the next work', async () => {
    await using impatient = await openPostgres({
      url: database.url,
      connectionsMax: 1,
      applicationName: 'test',
      patienceMs: 300,
    })
    const pid = () =>
      impatient.transaction(
        async (tx) => (await tx.query<{ pid: number }>('SELECT pg_backend_pid()::bigint AS pid'))[0],
      )
    const before = await writePatiently(pid)
    expect(await writePatiently(pid)).toEqual(before)
    await failureOf(impatient.transaction((tx) => tx.query('SELECT pg_sleep(60)')))
    expect(await writePatiently(pid)).not.toEqual(before)
  })
})
