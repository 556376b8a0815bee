import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { eventually } from '../../harness/eventually.ts'
import { asSuperuser } from '../../harness/run/ordinary-role.ts'
import { type Service, startService } from '../../harness/service.ts'

// A PostgreSQL that rejects writes still handles reads. Triggers reject writes here, with the error code of a full disk.

const beFull = `
  CREATE TABLE tried (at timestamptz DEFAULT clock_timestamp());
  CREATE FUNCTION be_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space left' USING ERRCODE = 'disk_full'; END $$;
  CREATE FUNCTION be_full_for_tables() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space left' USING ERRCODE = 'disk_full'; END $$;
  CREATE TRIGGER full_disk BEFORE INSERT ON categories FOR EACH ROW EXECUTE FUNCTION be_full();
  CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION be_full_for_tables()`
const beEmpty = 'DROP EVENT TRIGGER full_disk; DROP TRIGGER full_disk ON categories'

describe.if(process.env.TEST_ENGINE === 'postgres')('/readyz', () => {
  let service: Service
  let sql: SQL
  beforeAll(async () => {
    service = await startService()
    sql = new SQL(asSuperuser(service.context.config.databaseUrl), { max: 1 })
  })
  afterAll(async () => {
    await sql.close()
    await service.stop()
  })

  async function readiness(): Promise<[number, string]> {
    const response = await fetch(`${service.url}/readyz`)
    return [response.status, ((await response.json()) as { database: string }).database]
  }
  async function readyAgain(): Promise<void> {
    await eventually(async () => (await readiness())[0] === 200)
  }
  const write = async (name: string) => (await service.admin.post('/categories', { name })).status

  test('reports a full disk after the first failed write, even without traffic, until there is room again', async () => {
    await sql.unsafe(beFull)
    expect(await readiness()).toEqual([200, 'ok'])
    expect(await write('Lost')).toBe(503)
    const until = performance.now() + 2_500
    while (performance.now() < until) expect(await readiness()).toEqual([503, 'disk full'])
    expect((await service.admin.get('/categories')).body).toEqual([])
    await sql.unsafe(beEmpty)
    await readyAgain()
    expect(await write('Kept')).toBe(201)
  })

  test('writes nothing while the database works', async () => {
    await sql.unsafe(`
      CREATE FUNCTION note_table() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO tried DEFAULT VALUES; END $$;
      CREATE EVENT TRIGGER noted ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION note_table()`)
    for (let checks = 0; checks < 50; checks++) expect(await readiness()).toEqual([200, 'ok'])
    expect((await sql.unsafe('SELECT count(*)::int AS count FROM tried'))[0].count).toBe(0)
  })

  test('reports a server that accepts no writes, even before one fails', async () => {
    const name = new URL(service.context.config.databaseUrl).pathname.slice(1)
    await sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await sql.unsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'petstore%'",
    )
    const before = ['unreachable', 'ok']
    let found = await readiness()
    while (before.includes(found[1])) found = await readiness()
    expect(found).toEqual([503, 'read-only'])
    expect((await service.admin.get('/categories')).status).toBe(200)
    await sql.unsafe('SET default_transaction_read_only = off')
    await sql.unsafe(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await sql.unsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'petstore%'",
    )
    await readyAgain()
  })
})
