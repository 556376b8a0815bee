import { afterAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { createUsageCounter } from '../../../src/platform/usage/counter.ts'
import { addUpUsage, findUsage } from '../../../src/platform/usage/store.ts'
import { createTestDatabase } from '../../harness/database.ts'
import { eventually } from '../../harness/eventually.ts'
import { startService } from '../../harness/service.ts'

const slowNode = 'petstore-slow'
const commitLock = 4_242
const patienceMs = 60_000

/** Makes each commit of the slow node wait for a lock, after it has written its usage counts. */
const holdCommits = [
  `CREATE FUNCTION hold_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF current_setting('application_name') = '${slowNode}' THEN PERFORM pg_advisory_xact_lock_shared(${commitLock}); END IF;
     RETURN NULL; END $$`,
  ...['usage_hours', 'usage_days', 'usage_changes', 'api_keys'].map(
    (table) => `CREATE CONSTRAINT TRIGGER hold_commit AFTER INSERT OR UPDATE OR DELETE ON ${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_commit()`,
  ),
]

describe.if(process.env.TEST_ENGINE === 'postgres')('while another node cannot commit its counts', () => {
  const closing: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  test('a node writes, adds up and shows exact usage without waiting for another node', async () => {
    const database = await createTestDatabase()
    closing.push(() => database.remove())
    const service = await startService({ by: async () => database.url })
    closing.push(() => service.stop())
    const sql = new SQL(database.url, { max: 2 })
    closing.push(() => sql.close())
    const slowDb = await openPostgres({ url: database.url, connectionsMax: 2, applicationName: slowNode, patienceMs })
    closing.push(() => slowDb.close())
    for (const statement of holdCommits) await sql.unsafe(statement)
    const client = await service.newClient()
    const { db, usage } = service.context
    const slow = createUsageCounter(slowDb, service.clock)
    const now = service.clock.now()
    const allowed = async () => {
      const rows = await findUsage(db, client.keyId, 'day', 0, Number.MAX_SAFE_INTEGER)
      return rows.map((row) => row.allowed)
    }
    const waiting = () =>
      sql.unsafe(
        `SELECT application_name, query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    const isHeld = async () => (await waiting()).length > 0

    const holder = await sql.reserve()
    await holder.unsafe(`SELECT pg_advisory_lock(${commitLock})`)
    slow.count(client.keyId, 'allowed', 5, now)
    const appending = slow.flush()
    await eventually(isHeld)
    // The service flushes, updates when the key was used, and adds up; all of it ends while the other node still waits.
    for (let round = 1; round <= 3; round++) {
      usage.count(client.keyId, 'allowed', 1, now)
      await usage.flush()
      await addUpUsage(db)
      expect(await allowed()).toEqual([round])
    }
    expect((await waiting()).map((row: { application_name: string }) => row.application_name)).toEqual([slowNode])
    await holder.unsafe(`SELECT pg_advisory_unlock(${commitLock})`)
    await appending
    expect(await allowed()).toEqual([8])

    // The same while the other node cannot commit the sums.
    await holder.unsafe(`SELECT pg_advisory_lock(${commitLock})`)
    let held = false
    const addingUp = eventually(async () => {
      // The service also adds up in the background, so there may be nothing left for the other node.
      usage.count(client.keyId, 'limited', 1, now)
      await usage.flush()
      await addUpUsage(slowDb)
      return held
    })
    held = await eventually(isHeld)
    usage.count(client.keyId, 'allowed', 2, now)
    await usage.flush()
    await addUpUsage(db)
    expect(await allowed()).toEqual([10])
    expect((await waiting()).map((row: { application_name: string }) => row.application_name)).toEqual([slowNode])
    await holder.unsafe(`SELECT pg_advisory_unlock(${commitLock})`)
    await addingUp
    holder.release()
    await addUpUsage(db)
    expect(await allowed()).toEqual([10])
  })
})
