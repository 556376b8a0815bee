import { Database } from 'bun:sqlite'
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

/** What is not ok, by check, with what it says. */
async function findProblems(env: Env, now = Date.now): Promise<Record<string, string>> {
  const findings = await examine({ env, now })
  const problems = findings.filter(({ state }) => state !== 'ok')
  expect(problems.filter(({ advice }) => !advice)).toEqual([])
  return Object.fromEntries(problems.map(({ check, state, says }) => [check, `${state}: ${says}`]))
}

/** An address where nothing listens. */
const nowhere = { PORT: '1' }

test('an invalid setting is all that is reported, and none of the rest is checked', async () => {
  const problems = await findProblems({ PORT: 'many', LOG_LEVEL: 'loud' })
  expect(Object.keys(problems)).toEqual(['configuration'])
  for (const name of ['PORT', 'LOG_LEVEL']) expect(problems.configuration).toContain(name)
})

test('a HOST that is not of this machine is reported like any other invalid setting', async () => {
  const problems = await findProblems({ ...nowhere, HOST: 'nohost.invalid' })
  expect(Object.keys(problems)).toEqual(['configuration'])
  expect(problems.configuration).toContain('HOST is "nohost.invalid"')
})

test('a database that is missing, empty, outdated or no database is reported as such', async () => {
  using home = newDirectory()
  const databaseAt = async (path: string) =>
    (await findProblems({ ...nowhere, DATABASE_URL: `sqlite:${path}` })).database
  expect(await databaseAt(join(home.path, 'missing.db'))).toMatch(/^warning: There is no database .*missing\.db yet/)
  const text = join(home.path, 'text.db')
  writeFileSync(text, 'this is not a database, and never was one')
  expect(await databaseAt(text)).toMatch(/^error: .*not a database/)

  const empty = await createTestDatabase()
  if (empty.url.startsWith('sqlite:')) writeFileSync(empty.url.replace('sqlite:', ''), '')
  const schemaOf = async () => (await findProblems({ ...nowhere, DATABASE_URL: empty.url })).database
  expect(await schemaOf()).toBe('warning: It is empty.')
  await using db = await openForCommand({ url: empty.url, name: 'test' })
  await migrate(db, Date.now(), petShop.migrations.slice(0, -1))
  expect(await schemaOf()).toBe('warning: Its schema lacks migrations: shop.')
  await db.close()
  await empty.remove()
})

test.if(process.env.TEST_ENGINE !== 'postgres')('data that cannot be read is no complete data', async () => {
  const database = await createTestDatabase()
  const path = database.url.replace('sqlite:', '')
  const shop = await openForCommand({ url: database.url, name: 'test' })
  await migrate(shop, Date.now(), petShop.migrations)
  await shop.close()
  const db = new Database(path)
  db.run('DROP TABLE order_history')
  db.close()
  expect((await findProblems({ ...nowhere, DATABASE_URL: `sqlite:${path}` })).data).toMatch(/^error: .*order_history/)
  await database.remove()
})

test('a service that does not respond is pointed out, and one that does is ok', async () => {
  const database = await createMigratedDatabase()
  const healthy = { DATABASE_URL: database.url }
  expect((await findProblems({ ...healthy, ...nowhere })).service).toMatch(/^warning: Nothing responds at/)
  const service = await startService()
  const at = { ...healthy, BASE_URL: service.url }
  expect((await findProblems(at)).service).toBeUndefined()
  expect((await findProblems({ ...healthy, ...nowhere, PETSTORE_URL: service.url })).service).toBeUndefined()
  using elsewhere = Bun.serve({ port: 0, fetch: () => Response.json({ status: 'unavailable' }) })
  expect((await findProblems({ ...healthy, ...nowhere, PETSTORE_URL: elsewhere.url.href })).service).toMatch(
    /^error: It responds at .*, but is not ready \(200\): \{"status":"unavailable"/,
  )
  await service.context.db.close()
  // It is read at most once a second.
  const isReported = async () => {
    const { service: says = '' } = await findProblems(at)
    return /^error: It responds at .*, but is not ready \(503\): \{"status":/.test(says)
  }
  await eventually(isReported)
  await service.stop()
  await database.remove()
})

test('a clock that is off is an error, by the clock of the database or of the service', async () => {
  const database = await createMigratedDatabase()
  const service = await startService()
  const ahead = () => Date.now() + 60_000
  const env = { DATABASE_URL: database.url, BASE_URL: service.url }
  expect((await findProblems(env, ahead)).clock).toMatch(/^error: This machine's clock is \d+ s ahead of/)
  expect((await findProblems(env)).clock).toBeUndefined()
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
    const before = (await found()).filter(({ state }) => state !== 'ok')
    await set('synchronous_commit = off')
    await set('enable_indexscan = off')
    const added = (await found()).filter(({ says }) => !before.some((old) => old.says === says))
    expect(added).toMatchObject([
      { state: 'warning', says: expect.stringContaining('enable_indexscan = off'), advice: expect.any(String) },
      { state: 'warning', says: expect.stringContaining('synchronous_commit = off'), advice: expect.any(String) },
    ])
    await set('synchronous_commit = on')
    await set('enable_indexscan = on')
    expect((await found()).filter(({ state }) => state !== 'ok')).toEqual(before)
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
      .filter(({ check, state }) => check === 'settings' && state === 'warning')
      .map(({ says }) => says)
    for (const setting of expected) expect(found).toContainEqual(expect.stringContaining(setting))
    expect(expected).toContain('synchronous_commit = local')
    await database.remove()
  })
})
