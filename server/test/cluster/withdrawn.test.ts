import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { type Database, DatabaseUnavailable } from '../../src/platform/db/database.ts'
import { openPostgres } from '../../src/platform/db/postgres.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { call, type Nodes, startNodes } from '../harness/nodes.ts'

const onPostgres = process.env.TEST_ENGINE === 'postgres'
/** Enough to reach a commit, even on a busy machine. */
const patienceMs = 2_000
/** For work that is to be late. */
const shortMs = 200

/** Waits until the server runs nothing for the connections named `application`. */
async function quiet(sql: SQL, application: string): Promise<void> {
  const busy = () =>
    sql.unsafe(
      "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1 AND state <> 'idle'",
      [application],
    )
  await eventually(async () => (await busy()).length === 0, busy)
}

/** Closes the connection that is committing, once there is one. */
async function cutCommit(sql: SQL): Promise<void> {
  await eventually(async () => {
    const rows = await sql.unsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT' AND state = 'active'",
    )
    return rows.length > 0
  })
}

/** Makes the COMMIT of a transaction that changed the table take this long. */
const slowCommit = (table: string, seconds: number) => `
  CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END';
  CREATE CONSTRAINT TRIGGER slow AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION be_slow()`
const quickCommit = 'DROP FUNCTION be_slow CASCADE'

describe.if(onPostgres)('an order rejected with 503', () => {
  let cluster: Nodes
  let sql: SQL
  let petId: number
  beforeAll(async () => {
    cluster = await startNodes(1)
    sql = new SQL(cluster.databaseUrl, { max: 2, connection: { application_name: 'onlooker' } })
    const { body: category } = await admin('POST', '/categories', { name: 'Fish' })
    petId = (await admin('POST', '/pets', { name: 'Guppy', categoryId: category.id })).body.id
    await admin('PUT', `/store/inventory/${petId}`, { quantity: 1_000 })
  })
  afterAll(async () => {
    await sql.close()
    await cluster.stop()
  })

  const admin = (method: string, path: string, body?: unknown, headers = {}) =>
    call(cluster.nodes[0]?.url ?? '', cluster.adminSecret, method, path, body, headers)
  const order = (headers = {}) => admin('POST', '/store/orders', { petId }, headers)
  const placed = async () => (await sql.unsafe('SELECT count(*)::int AS count FROM orders'))[0].count as number

  test('behind a locked row is never placed, even if it had a connection', async () => {
    const before = await placed()
    const responses = await sql.begin(async (tx) => {
      await tx.unsafe('SELECT 1 FROM pets WHERE id = $1 FOR UPDATE', [petId])
      return Promise.all(Array.from({ length: 30 }, () => order()))
    })
    expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(503))
    expect(responses.every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true)
    expect(new Set(responses.map(({ body }) => body.code))).toEqual(new Set(['unavailable']))
    await quiet(sql, 'petstore%')
    expect(await placed()).toBe(before)
    expect((await admin('GET', `/store/inventory/${petId}`)).body.quantity).toBe(1_000 - before)
    expect((await order()).status).toBe(201)
  })

  test('because the connection was lost during the commit says that the result is unknown, and an Idempotency-Key finds out', async () => {
    const before = await placed()
    await sql.unsafe(slowCommit('orders', 60))
    const asking = order({ 'Idempotency-Key': 'lost' })
    await cutCommit(sql)
    const lost = await asking
    await sql.unsafe(quickCommit)
    expect([lost.status, lost.body.code, lost.headers.get('retry-after')]).toEqual([503, 'outcome_unknown', '1'])
    expect(lost.body.message).toContain('Idempotency-Key')
    expect((await order({ 'Idempotency-Key': 'lost' })).status).toBe(201)
    expect(await placed()).toBe(before + 1)
  })
})

describe.if(onPostgres)('a transaction with a deadline', () => {
  let database: TestDatabase
  let db: Database
  let late: Database
  let sql: SQL
  beforeAll(async () => {
    database = await createTestDatabase()
    const options = { url: database.url, connectionsMax: 2, applicationName: 'hurried' }
    db = await openPostgres({ ...options, patienceMs })
    late = await openPostgres({ ...options, patienceMs: shortMs })
    sql = new SQL(database.url, { max: 2, connection: { application_name: 'onlooker' } })
    await sql.unsafe('CREATE TABLE marks (name text)')
  })
  afterAll(async () => {
    await Promise.all([db.close(), late.close()])
    await sql.close()
    await database.remove()
  })

  const mark = (name: string) => db.transaction((tx) => tx.query('INSERT INTO marks VALUES ($1)', [name]))
  const isMarked = async (name: string) => (await sql.unsafe('SELECT 1 FROM marks WHERE name = $1', [name])).length > 0
  const fate = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof DatabaseUnavailable ? error.effect : error),
    )

  test('that has not reached its commit by then is rolled back, and its statement cancelled', async () => {
    const waiting = late.transaction(async (tx) => {
      await tx.query('INSERT INTO marks VALUES ($1)', ['waiting'])
      await tx.query('SELECT pg_sleep($1)', [60])
    })
    expect(await fate(waiting)).toBe('none')
    await quiet(sql, 'hurried')
    expect(await isMarked('waiting')).toBe(false)
  })

  test('that reaches its commit too late is rolled back', async () => {
    const slow = late.transaction(async (tx) => {
      await tx.query('INSERT INTO marks VALUES ($1)', ['slow'])
      await Bun.sleep(shortMs + 100)
    })
    expect(await fate(slow)).toBe('none')
    await quiet(sql, 'hurried')
    expect(await isMarked('slow')).toBe(false)
  })

  test('that was committing by then takes effect, and is not reported as failed', async () => {
    await sql.unsafe(slowCommit('marks', patienceMs / 1000 + 0.1))
    expect(await fate(mark('committing'))).not.toBe('none')
    await quiet(sql, 'hurried')
    await sql.unsafe(quickCommit)
    expect(await isMarked('committing')).toBe(true)
  })

  test('whose commit is uncertain says so', async () => {
    await sql.unsafe(slowCommit('marks', 60))
    const [unknown] = await Promise.all([fate(mark('cut')), cutCommit(sql)])
    await sql.unsafe(quickCommit)
    expect(unknown).toBe('unknown')
  })

  test('whose commit the server rejects is known to have failed', async () => {
    await sql.unsafe(`
      CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE check_violation; END';
      CREATE CONSTRAINT TRIGGER rejecting AFTER INSERT ON marks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION reject()`)
    expect(String(await failureOf(mark('rejected')))).toContain('check constraint violated')
    await sql.unsafe('DROP FUNCTION reject CASCADE')
    expect(await isMarked('rejected')).toBe(false)
  })

  test('that ignores a failed statement does not take effect, and does not look successful', async () => {
    const passed = db.transaction(async (tx) => {
      await tx.query('INSERT INTO marks VALUES ($1)', ['passed over'])
      await Promise.resolve(tx.query('SELECT 1 / $1::int', [0])).catch(() => undefined)
    })
    expect(String(await failureOf(passed))).toContain('rolled back')
    expect(await isMarked('passed over')).toBe(false)
  })

  test('that has failed runs no more statements, even if its code continues', async () => {
    const failed = Promise.withResolvers<void>()
    const stray: Promise<unknown>[] = []
    const failing = db.transaction(async (tx) => {
      await tx.query('INSERT INTO marks VALUES ($1)', ['undone'])
      // A statement at every moment between the failure and the end of the transaction.
      void failed.promise.then(async () => {
        for (let moment = 0; moment < 100; moment++) {
          stray.push(Promise.resolve(tx.query('INSERT INTO marks VALUES ($1)', ['stray'])).catch(() => undefined))
          await null
        }
      })
      await Promise.resolve(tx.query('SELECT 1 / $1::int', [0])).finally(failed.resolve)
    })
    expect(String(await failureOf(failing))).toContain('division by zero')
    await Promise.all(stray)
    expect(stray).toHaveLength(100)
    expect(await isMarked('stray')).toBe(false)
  })

  test('starts clean on a connection that another transaction used before, whatever happened to that', async () => {
    for (let round = 0; round < 5; round++) await mark(`round ${round}`)
    const rows = await sql.unsafe("SELECT name FROM marks WHERE name LIKE 'round%' ORDER BY name")
    expect(rows.map(({ name }: { name: string }) => name)).toEqual([0, 1, 2, 3, 4].map((round) => `round ${round}`))
  })
})
