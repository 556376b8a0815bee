import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { copy } from '../../../src/platform/db/copy.ts'
import type { Database } from '../../../src/platform/db/database.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { petShop } from '../../../src/shop/index.ts'
import { newDirectory } from '../../harness/scratch.ts'

test('every table of the schema is copied, or left out on purpose', async () => {
  using directory = newDirectory()
  const db = openSqlite(join(directory.path, 'petstore.db'))
  await migrate(db, 0, petShop.migrations)
  const tables = await db.transaction((tx) =>
    tx.query<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_search%' ESCAPE '\\'",
    ),
  )
  const known = petShop.tables.map((table) => table.name)
  expect(tables.map((table) => table.name).sort()).toEqual(known.sort())
  await db.close()
})

test('every row of a table that takes several batches is copied once', async () => {
  using directory = newDirectory()
  const [source, target] = ['source.db', 'target.db'].map((name) => openSqlite(join(directory.path, name))) as [
    Database,
    Database,
  ]
  await migrate(source, 0, petShop.migrations)
  await source.transaction((tx) =>
    tx.query(
      `INSERT INTO categories (name, name_folded) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
       SELECT 'Kind ' || i, 'kind ' || i FROM n`,
    ),
  )
  await copy(source, target, petShop, 0, () => undefined)
  const all = 'SELECT id, name FROM categories ORDER BY id'
  const copied = await target.query(all)
  expect(copied).toHaveLength(1_001)
  expect(copied).toEqual(await source.query(all))
  for (const db of [source, target]) await db.close()
})
