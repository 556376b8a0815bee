import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { copiedTables, tablesLeftOut } from '../../src/db/copy.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { newDirectory } from '../harness/scratch.ts'

test('every table of the schema is copied, or left out on purpose', async () => {
  using directory = newDirectory()
  const db = openSqlite(join(directory.path, 'petstore.db'))
  await migrate(db, 0)
  const tables = await db.transaction((tx) =>
    tx.query<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_search%' ESCAPE '\\'",
    ),
  )
  const known = [...copiedTables.map((table) => table.name), ...tablesLeftOut]
  expect(tables.map((table) => table.name).sort()).toEqual(known.sort())
  await db.close()
})
