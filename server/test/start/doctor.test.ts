import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { examine } from '../../src/commands/doctor.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { openForCommand } from '../../src/platform/db/open.ts'
import { petShop } from '../../src/shop/index.ts'
import { createMigratedDatabase, createTestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { newDirectory } from '../harness/scratch.ts'
import { startService } from '../harness/service.ts'

type Env = Record<string, string>

/** What is not well, by check, with what it says. */
async function findFaults(env: Env, now = Date.now): Promise<Record<string, string>> {
  const findings = await examine({ env, now })
  const faults = findings.filter(({ state }) => state !== 'well')
  expect(faults.filter(({ advice }) => !advice)).toEqual([])
  return Object.fromEntries(faults.map(({ check, state, says }) => [check, `${state}: ${says}`]))
}

/** An address where nothing listens. */
const nowhere = { PORT: '1' }

test('an invalid setting is all that is reported, and none of the rest is checked', async () => {
  const faults = await findFaults({ PORT: 'many', LOG_LEVEL: 'loud' })
  expect(Object.keys(faults)).toEqual(['configuration'])
  for (const name of ['PORT', 'LOG_LEVEL']) expect(faults.configuration).toContain(name)
})

test('a database that is missing, empty, outdated or no database is reported as such', async () => {
  using home = newDirectory()
  const databaseAt = async (path: string) => (await findFaults({ ...nowhere, DATABASE_URL: `sqlite:${path}` })).database
  expect(await databaseAt(join(home.path, 'missing.db'))).toMatch(/^mind: There is no database .*missing\.db yet/)
  const text = join(home.path, 'text.db')
  writeFileSync(text, 'this is not a database, and never was one')
  expect(await databaseAt(text)).toMatch(/^fault: .*not a database/)

  const empty = await createTestDatabase()
  if (empty.url.startsWith('sqlite:')) writeFileSync(empty.url.replace('sqlite:', ''), '')
  const schemaOf = async () => (await findFaults({ ...nowhere, DATABASE_URL: empty.url })).database
  expect(await schemaOf()).toBe('mind: It is empty.')
  await using db = await openForCommand({ url: empty.url, name: 'test' })
  await migrate(db, Date.now(), petShop.migrations.slice(0, -2))
  expect(await schemaOf()).toBe('mind: Its schema lacks 2 migrations.')
  await db.close()
  await empty.remove()
})

test('a service that does not answer is pointed out, and one that does is well', async () => {
  const database = await createMigratedDatabase()
  const healthy = { DATABASE_URL: database.url }
  expect((await findFaults({ ...healthy, ...nowhere })).service).toMatch(/^mind: Nothing responds at/)
  const service = await startService()
  const at = { ...healthy, BASE_URL: service.url }
  expect((await findFaults(at)).service).toBeUndefined()
  expect((await findFaults({ ...healthy, ...nowhere, PETSTORE_URL: service.url })).service).toBeUndefined()
  await service.context.db.close()
  // It is read at most once a second.
  const isReported = async () => {
    const { service: says = '' } = await findFaults(at)
    return /^fault: It responds at .*, but is not ready \(503\): \{"status":/.test(says)
  }
  await eventually(isReported)
  await service.stop()
  await database.remove()
})

test('a clock that is off is a fault, by the clock of the database or of the service', async () => {
  const database = await createMigratedDatabase()
  const service = await startService()
  const ahead = () => Date.now() + 60_000
  const env = { DATABASE_URL: database.url, BASE_URL: service.url }
  expect((await findFaults(env, ahead)).clock).toMatch(/^fault: This machine's clock is \d+ s ahead of/)
  expect((await findFaults(env)).clock).toBeUndefined()
  await service.stop()
  await database.remove()
})

describe.if(process.env.TEST_ENGINE === 'postgres')("PostgreSQL's settings", () => {
  test('that are harmful are reported with advice, and no others', async () => {
    const database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await using sql = new SQL(database.url, { max: 1 })
    const found = async () =>
      (await examine({ env: { DATABASE_URL: database.url }, now: Date.now })).filter(
        ({ check }) => check === 'settings',
      )
    const set = (setting: string) => sql.unsafe(`ALTER DATABASE ${name} SET ${setting}`)

    // Ignore the settings of the test server.
    const before = (await found()).filter(({ state }) => state !== 'well')
    await set('synchronous_commit = off')
    await set('enable_indexscan = off')
    const added = (await found()).filter(({ says }) => !before.some((old) => old.says === says))
    expect(added).toMatchObject([
      { state: 'mind', says: expect.stringContaining('enable_indexscan = off'), advice: expect.any(String) },
      { state: 'mind', says: expect.stringContaining('synchronous_commit = off'), advice: expect.any(String) },
    ])
    await set('synchronous_commit = on')
    await set('enable_indexscan = on')
    expect((await found()).filter(({ state }) => state !== 'well')).toEqual(before)
    await database.remove()
  })

  test('that let a power cut lose or corrupt data are among them', async () => {
    const database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await using sql = new SQL(database.url, { max: 1 })
    await sql.unsafe(`ALTER DATABASE ${name} SET synchronous_commit = local`)
    await using changed = new SQL(database.url, { max: 1 })
    const expected: string[] = []
    for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
      const [row] = await changed.unsafe(`SELECT current_setting('${setting}') AS value`)
      if (row.value !== 'on') expected.push(`${setting} = ${row.value}`)
    }
    const findings = await examine({ env: { DATABASE_URL: database.url }, now: Date.now })
    const found = findings
      .filter(({ check, state }) => check === 'settings' && state === 'mind')
      .map(({ says }) => says)
    for (const setting of expected) expect(found).toContainEqual(expect.stringContaining(setting))
    expect(expected).toContain('synchronous_commit = local')
    await database.remove()
  })
})
