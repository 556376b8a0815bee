import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { firstStart } from '../../src/first-start.ts'
import type { Queryable } from '../../src/platform/db/database.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { openSqlite } from '../../src/platform/db/sqlite.ts'
import { continuePositions } from '../../src/platform/events/numbering.ts'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { createPreparedShops, onFirstDay } from '../../src/sandbox/prepared.ts'
import { petShop } from '../../src/shop/index.ts'
import { failureOf } from '../harness/failure-of.ts'
import { startTestHost } from '../harness/sandbox.ts'
import { newDirectory } from '../harness/scratch.ts'

const config = readConfig({})

/** Every row of every table, except those that the search keeps for itself. */
function readTables(file: string): Record<string, unknown[]> {
  using db = new Database(file, { readonly: true })
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
  const names = tables.all().map(({ name }) => name)
  return Object.fromEntries(
    names.filter((name) => !name.includes('_search')).map((name) => [name, db.query(`SELECT * FROM ${name}`).all()]),
  )
}

test.each(['sample', 'empty'] as const)(
  'a copied %s shop is the same as one that is loaded at its time',
  async (data) => {
    using directory = newDirectory()
    const now = Date.parse('2031-02-03T04:05:06.789Z')
    const apiKey = newSecret()
    const loaded = join(directory.path, 'loaded.db')
    {
      await using db = openSqlite(loaded)
      await migrate(db, now, petShop.migrations)
      await db.transaction((tx) => continuePositions(tx, now))
      await firstStart(
        onFirstDay(petShop),
        db,
        { ...config, sampleData: data === 'sample' },
        { secret: apiKey, isGenerated: false },
        now,
      )
    }
    const shops = createPreparedShops(petShop, directory.path, config)
    const [first, copied] = [join(directory.path, 'first.db'), join(directory.path, 'copied.db')]
    await shops.copy(first, { data, apiKey: newSecret(), now: now - 1 })
    await shops.copy(copied, { data, apiKey, now })
    {
      // As the service does when it starts.
      await using db = openSqlite(copied)
      await db.transaction((tx) => continuePositions(tx, now))
    }
    const tables = readTables(loaded)
    expect(tables.events?.length).toBeGreaterThan(0)
    expect(readTables(copied)).toEqual(tables)
    expect(readTables(first)).not.toEqual(tables)
  },
)

test('a shop that could not be prepared is prepared when it is next needed', async () => {
  using directory = newDirectory()
  const shops = createPreparedShops(petShop, directory.path, config)
  const folder = join(directory.path, 'prepared')
  const copy = () => shops.copy(join(directory.path, 'copy.db'), { data: 'empty', apiKey: newSecret(), now: 0 })
  writeFileSync(folder, 'no folder')
  expect(await failureOf(copy())).toBeInstanceOf(Error)
  rmSync(folder)
  await copy()
})

test('a sandbox does not wait for the disk, a service does', async () => {
  const synced = 2
  const syncOf = async (db: Queryable) =>
    (await db.query<{ synchronous: number }>('PRAGMA synchronous'))[0]?.synchronous
  const host = await startTestHost()
  expect(await host.inside.use(host.ready.id, ({ service }) => syncOf(service.db))).toBe(0)
  await host.stop()
  using directory = newDirectory()
  await using db = openSqlite(join(directory.path, 'shop.db'))
  expect(await syncOf(db)).toBe(synced)
})
