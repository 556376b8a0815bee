import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { Database } from '../../../src/platform/db/database.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import type { Migration } from '../../../src/platform/db/migration.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { petShop } from '../../../src/shop/index.ts'
import { eventually } from '../../harness/eventually.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { asSuperuser } from '../../harness/run/ordinary-role.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'

// PostgreSQL only: on SQLite one node has the file for itself.

describe.if(process.env.TEST_ENGINE === 'postgres')('a migration beside a running node', () => {
  let service: Service
  let client: Client
  let petId: number
  /** Observes the database, and acts as pg_dump and others that keep a transaction open. */
  let sql: SQL
  let history: Migration[] = [...petShop.migrations]
  const opened: Database[] = []

  beforeAll(async () => {
    service = await startService()
    client = await service.newClient()
    petId = await service.admin.newPet(1_000_000)
    sql = new SQL(service.context.config.databaseUrl, { max: 3 })
  })
  afterEach(() => Promise.all(opened.splice(0).map((db) => db.close())))
  afterAll(async () => {
    await sql.close()
    await service.stop()
  })

  /** Starts a migration, as another process does. */
  function start(migration: Migration) {
    if (!history.includes(migration)) history = [...history, migration]
    const opening = openPostgres({
      url: service.context.config.databaseUrl,
      connectionsMax: 1,
      applicationName: 'migration',
    })
    void opening.then((db) => opened.push(db))
    const reports: { message: string; [field: string]: unknown }[] = []
    const state = { reports, done: false, ended: undefined as unknown as Promise<string[]> }
    const steps = history
    state.ended = opening
      .then((db) => migrate(db, 0, steps, (_, message, fields) => reports.push({ message, ...fields })))
      .then(({ applied }) => applied)
      .finally(() => {
        state.done = true
      })
    state.ended.catch(() => undefined)
    return state
  }

  /** Opens a transaction that has read, like pg_dump. Returns a function that ends it. */
  async function longTransaction(lock = 'ACCESS SHARE') {
    const connection = await sql.reserve()
    await connection.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await connection.unsafe(`LOCK TABLE pets, inventory, orders IN ${lock} MODE`)
    await connection.unsafe('SELECT count(*) FROM inventory')
    return async () => {
      await connection.unsafe('COMMIT')
      connection.release()
    }
  }

  /** Orders and reads until `enough`, and returns the responses of the first failure. */
  async function shopUntil(enough: () => boolean | Promise<boolean>): Promise<string[]> {
    for (;;) {
      const order = await client.post('/store/orders', { petId })
      const stock = await client.get(`/store/inventory/${petId}`)
      if (order.status !== 201 || stock.status !== 200) return [order.text, stock.text]
      if (await enough()) return []
    }
  }

  const waitsForOthers = async () => {
    const rows = await sql.unsafe(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'migration' AND wait_event = 'virtualxid'",
    )
    return rows.length > 0
  }
  const isValid = async (index: string) => {
    const [row] = await sql.unsafe('SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)', [
      index,
    ])
    return row?.valid
  }

  test('that cannot lock a table blocks no reads and orders, reports what it waits for, and completes in the end', async () => {
    const statement = 'ALTER TABLE inventory ADD COLUMN shelf text'
    const endDump = await longTransaction()
    const migration = start({ name: 'shelves', statements: { sqlite: [], postgres: [statement] } })
    expect(await shopUntil(() => migration.reports.length >= 2 || migration.done)).toEqual([])
    expect(migration.reports).toContainEqual(
      expect.objectContaining({ statement, blockedBy: expect.stringContaining('process') }),
    )
    expect(migration.done).toBe(false)
    await endDump()
    expect(await shopUntil(() => migration.done)).toEqual([])
    expect(await migration.ended).toEqual(['shelves'])
    expect(await shopUntil(() => true)).toEqual([])
  })

  test('that builds and drops indexes blocks no reads and orders while it waits for a dump', async () => {
    const endDump = await longTransaction()
    const migration = start({
      name: 'other indexes',
      buildIndexes: { inventory_by_quantity: 'inventory (quantity, pet_id)' },
      dropIndexes: ['orders_open_by_pet'],
    })
    expect(await shopUntil(async () => migration.done || (await waitsForOthers()))).toEqual([])
    expect(await shopUntil(() => migration.reports.length > 0 || migration.done)).toEqual([])
    let rounds = 20
    expect(await shopUntil(() => --rounds === 0)).toEqual([])
    expect(migration.done).toBe(false)
    await endDump()
    expect(await shopUntil(() => migration.done)).toEqual([])
    expect(await migration.ended).toEqual(['other indexes'])
    expect(migration.reports[0]).toMatchObject({
      statement: 'CREATE INDEX CONCURRENTLY inventory_by_quantity ON inventory (quantity, pet_id)',
      blockedBy: expect.stringContaining('process'),
    })
    expect([await isValid('inventory_by_quantity'), await isValid('orders_open_by_pet')]).toEqual([true, undefined])
  })

  test('that another role blocks names the blocking process, not an older one that does not block', async () => {
    const role = `reporter_${process.pid}`
    const name = new URL(service.context.config.databaseUrl).pathname.slice(1)
    // Like every role that is not a superuser, the role of the migration sees little of other sessions.
    const owner = `owner_${process.pid}`
    await using superuser = new SQL(asSuperuser(service.context.config.databaseUrl), { max: 1 })
    await superuser.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; CREATE ROLE ${owner} LOGIN PASSWORD 'x'`)
    await superuser.unsafe(
      `CREATE SCHEMA separate AUTHORIZATION ${owner}; GRANT CREATE, CONNECT ON DATABASE ${name} TO ${owner}`,
    )
    const urlOf = (user: string) => {
      const url = new URL(service.context.config.databaseUrl)
      Object.assign(url, { username: user, password: 'x' })
      return url.href
    }
    await using ownSql = new SQL(urlOf(owner), { max: 2 })
    await ownSql.unsafe('CREATE TABLE separate.shelves (id bigint)')
    await ownSql.unsafe(`GRANT USAGE ON SCHEMA separate TO ${role}; GRANT SELECT ON separate.shelves TO ${role}`)
    // An older transaction that can be seen but blocks nothing.
    const older = await ownSql.reserve()
    await older.unsafe('BEGIN')
    await older.unsafe('SELECT 1')
    await using blocking = new SQL(urlOf(role), { max: 1 })
    const blocker = await blocking.reserve()
    await blocker.unsafe('BEGIN')
    await blocker.unsafe('SELECT count(*) FROM separate.shelves')
    const [{ pid }] = await blocker.unsafe('SELECT pg_backend_pid() AS pid')

    const db = await openPostgres({ url: urlOf(owner), connectionsMax: 1, applicationName: 'migration' })
    const reports: { blockedBy?: string }[] = []
    const statement = 'ALTER TABLE separate.shelves ADD COLUMN height bigint'
    const changing = db.changeSchema(
      (schema) => schema.transaction(async () => void (await schema.query(statement))),
      (_, __, fields = {}) => void reports.push(fields),
    )
    await eventually(() => reports.some(({ blockedBy }) => blockedBy !== undefined))
    expect(reports.find(({ blockedBy }) => blockedBy !== undefined)?.blockedBy).toStartWith(`process ${pid} of ${role}`)
    await blocker.unsafe('COMMIT')
    await changing
    await older.unsafe('COMMIT')
    blocker.release()
    older.release()
    await db.close()
    await superuser.unsafe(`DROP OWNED BY ${role}, ${owner} CASCADE; DROP ROLE ${role}; DROP ROLE ${owner}`)
  })

  test('that was interrupted while it built an index builds it again', async () => {
    const interrupted: Migration = { name: 'once more', buildIndexes: { pets_by_held: 'pets (held)' } }
    const endDump = await longTransaction()
    const first = start(interrupted)
    await eventually(() => first.done || waitsForOthers())
    await sql.unsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'migration'",
    )
    expect(String(await failureOf(first.ended))).toContain('the database is unavailable')
    await endDump()
    expect(await isValid('pets_by_held')).toBe(false)
    expect(await start(interrupted).ended).toEqual(['once more'])
    expect(await isValid('pets_by_held')).toBe(true)
    expect(await start(interrupted).ended).toEqual([])
  })

  test('runs once, however many processes start it together', async () => {
    const migration: Migration = { name: 'together', buildIndexes: { pets_together: 'pets (held, id)' } }
    const all = await Promise.all(Array.from({ length: 4 }, () => start(migration).ended))
    expect(all.flat()).toEqual(['together'])
  })

  test('completes although another program waits for its lock in a transaction', async () => {
    const endWrite = await longTransaction('ROW EXCLUSIVE')
    const migration = start({ name: 'beside a waiting program', buildIndexes: { pets_beside: 'pets (held, name)' } })
    await eventually(() => migration.done || waitsForOthers())
    // It waits in a transaction, and building an index waits for that transaction: a deadlock unless one gives up.
    const other = sql.begin((tx) => tx.unsafe("SELECT pg_advisory_xact_lock(hashtextextended('petstore', 0))"))
    const otherEnded = other.catch(() => undefined)
    // Longer than PostgreSQL waits before it looks for deadlocks: now the migration is the one that is aborted.
    const otherWaits = async () => {
      const rows = await sql.unsafe(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'
         AND clock_timestamp() - query_start > 1.2 * current_setting('deadlock_timeout')::interval`,
      )
      return rows.length > 0
    }
    await eventually(otherWaits)
    await endWrite()
    expect(await migration.ended).toEqual(['beside a waiting program'])
    await otherEnded
    expect(await isValid('pets_beside')).toBe(true)
  })
})
