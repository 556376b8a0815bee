import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Migration } from '../../src/db/migration.ts'
import { released } from '../../src/db/migrations/released.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { failureOf } from '../harness/failure-of.ts'
import { type Client, type Service, startService } from '../harness/service.ts'

// SQLite has no other process to be considerate of: one node has the file for itself.

describe.if(process.env.TEST_ENGINE === 'postgres')('a migration beside a running node', () => {
  let service: Service
  let client: Client
  let petId: number
  /** Sees what goes on, and stands for pg_dump and others that hold a transaction open. */
  let sql: SQL
  let history: Migration[] = [...released]
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

  /** Begins to migrate, as another process does. */
  function begin(migration: Migration) {
    if (!history.includes(migration)) history = [...history, migration]
    const opening = openPostgres({
      url: service.context.config.databaseUrl,
      connectionsMax: 1,
      applicationName: 'migration',
    })
    void opening.then((db) => opened.push(db))
    const told: { message: string; [field: string]: unknown }[] = []
    const state = { told, done: false, ended: undefined as unknown as Promise<string[]> }
    const steps = history
    state.ended = opening
      .then((db) => migrate(db, 0, steps, (_, message, fields) => told.push({ message, ...fields })))
      .then(({ applied }) => applied)
      .finally(() => {
        state.done = true
      })
    state.ended.catch(() => undefined)
    return state
  }

  /** A transaction that has read, and goes on until it is told to end: what pg_dump is to the others. */
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

  /** Orders and reads until there is nothing left to wait for; the answers that are not as they should be. */
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

  test('that cannot have a table lets reads and orders on, says what it waits for, and gets through in the end', async () => {
    const statement = 'ALTER TABLE inventory ADD COLUMN shelf text'
    const endDump = await longTransaction()
    const migration = begin({ name: 'shelves', statements: { sqlite: [], postgres: [statement] } })
    expect(await shopUntil(() => migration.told.length >= 2 || migration.done)).toEqual([])
    expect(migration.told).toContainEqual(
      expect.objectContaining({ statement, blockedBy: expect.stringContaining('process') }),
    )
    expect(migration.done).toBe(false)
    await endDump()
    expect(await shopUntil(() => migration.done)).toEqual([])
    expect(await migration.ended).toEqual(['shelves'])
    expect(await shopUntil(() => true)).toEqual([])
  })

  test('that builds and drops indexes lets reads and orders on while it waits for a dump', async () => {
    const endDump = await longTransaction()
    const migration = begin({
      name: 'other indexes',
      buildIndexes: { inventory_by_quantity: 'inventory (quantity, pet_id)' },
      dropIndexes: ['orders_by_pet'],
    })
    expect(await shopUntil(async () => migration.done || (await waitsForOthers()))).toEqual([])
    let rounds = 20
    expect(await shopUntil(() => --rounds === 0)).toEqual([])
    expect(migration.done).toBe(false)
    await endDump()
    expect(await shopUntil(() => migration.done)).toEqual([])
    expect(await migration.ended).toEqual(['other indexes'])
    expect(migration.told[0]).toMatchObject({
      statement: 'CREATE INDEX CONCURRENTLY inventory_by_quantity ON inventory (quantity, pet_id)',
      blockedBy: expect.stringContaining('process'),
    })
    expect([await isValid('inventory_by_quantity'), await isValid('orders_by_pet')]).toEqual([true, undefined])
  })

  test('that another role holds up names the process that blocks it, not an older one that does not', async () => {
    const role = `reporter_${process.pid}`
    const name = new URL(service.context.config.databaseUrl).pathname.slice(1)
    // The role of the migration sees little of what others do, as any role does that is no superuser.
    const owner = `owner_${process.pid}`
    await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; CREATE ROLE ${owner} LOGIN PASSWORD 'x'`)
    await sql.unsafe(
      `CREATE SCHEMA apart AUTHORIZATION ${owner}; GRANT CREATE, CONNECT ON DATABASE ${name} TO ${owner}`,
    )
    const urlOf = (user: string) => {
      const url = new URL(service.context.config.databaseUrl)
      Object.assign(url, { username: user, password: 'x' })
      return url.href
    }
    await using ownSql = new SQL(urlOf(owner), { max: 2 })
    await ownSql.unsafe('CREATE TABLE apart.shelves (id bigint)')
    await ownSql.unsafe(`GRANT USAGE ON SCHEMA apart TO ${role}; GRANT SELECT ON apart.shelves TO ${role}`)
    // An older transaction that can be seen but blocks nothing.
    const older = await ownSql.reserve()
    await older.unsafe('BEGIN')
    await older.unsafe('SELECT 1')
    await using blocking = new SQL(urlOf(role), { max: 1 })
    const blocker = await blocking.reserve()
    await blocker.unsafe('BEGIN')
    await blocker.unsafe('SELECT count(*) FROM apart.shelves')
    const [{ pid }] = await blocker.unsafe('SELECT pg_backend_pid() AS pid')

    const db = await openPostgres({ url: urlOf(owner), connectionsMax: 1, applicationName: 'migration' })
    const told: { blockedBy?: string }[] = []
    const statement = 'ALTER TABLE apart.shelves ADD COLUMN height bigint'
    const changing = db.changeSchema(
      (schema) => schema.transaction(async () => void (await schema.query(statement))),
      (_, __, fields = {}) => void told.push(fields),
    )
    while (!told.some(({ blockedBy }) => blockedBy !== undefined)) await Bun.sleep(20)
    expect(told.find(({ blockedBy }) => blockedBy !== undefined)?.blockedBy).toStartWith(`process ${pid} of ${role}`)
    await blocker.unsafe('COMMIT')
    await changing
    await older.unsafe('COMMIT')
    blocker.release()
    older.release()
    await db.close()
    await sql.unsafe(`DROP OWNED BY ${role}, ${owner} CASCADE; DROP ROLE ${role}; DROP ROLE ${owner}`)
  })

  test('that was interrupted while it built an index builds it anew', async () => {
    const interrupted: Migration = { name: 'once more', buildIndexes: { pets_by_held: 'pets (held)' } }
    const endDump = await longTransaction()
    const first = begin(interrupted)
    while (!first.done && !(await waitsForOthers())) await Bun.sleep(5)
    await sql.unsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'migration'",
    )
    expect(String(await failureOf(first.ended))).toContain('the database is unavailable')
    await endDump()
    expect(await isValid('pets_by_held')).toBe(false)
    expect(await begin(interrupted).ended).toEqual(['once more'])
    expect(await isValid('pets_by_held')).toBe(true)
    expect(await begin(interrupted).ended).toEqual([])
  })

  test('runs once, however many begin it together', async () => {
    const migration: Migration = { name: 'together', buildIndexes: { pets_together: 'pets (held, id)' } }
    const all = await Promise.all(Array.from({ length: 4 }, () => begin(migration).ended))
    expect(all.flat()).toEqual(['together'])
  })

  test('gets through although a node of an older release waits for it to end', async () => {
    const endWrite = await longTransaction('ROW EXCLUSIVE')
    const migration = begin({ name: 'beside an old node', buildIndexes: { pets_beside: 'pets (held, name)' } })
    while (!migration.done && !(await waitsForOthers())) await Bun.sleep(5)
    // It waits in a transaction, for which the building of an index has to wait: each for the other, were nothing let go.
    const oldNode = sql.begin((tx) => tx.unsafe("SELECT pg_advisory_xact_lock(hashtextextended('petstore', 0))"))
    const oldNodeEnded = oldNode.catch(() => undefined)
    // For longer than PostgreSQL leaves it before looking for such a knot: now the migration is the one that has to give way.
    const oldNodeWaits = async () => {
      const rows = await sql.unsafe(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'
         AND clock_timestamp() - query_start > 1.2 * current_setting('deadlock_timeout')::interval`,
      )
      return rows.length > 0
    }
    while (!(await oldNodeWaits())) await Bun.sleep(5)
    await endWrite()
    expect(await migration.ended).toEqual(['beside an old node'])
    await oldNodeEnded
    expect(await isValid('pets_beside')).toBe(true)
  })
})
