import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Backup, backUp, mustBePossible } from '../platform/db/backup.ts'
import { countRows } from '../platform/db/copy.ts'
import type { Queryable } from '../platform/db/database.ts'
import { migrate, versionOf } from '../platform/db/migrate.ts'
import { openForCommand } from '../platform/db/open.ts'
import { openSqlite } from '../platform/db/sqlite.ts'
import { petShop } from '../shop/index.ts'
import { copyDatabase } from './copy.ts'
import { describeGaps } from './gaps.ts'
import { restore } from './restore.ts'

interface Restored {
  readonly rows: number
  /** What the data lacks, in the service as well as in its backup. */
  readonly gaps: readonly string[]
}

/** A table whose lines are never changed or removed by the service: a later snapshot has at least those of an earlier one. */
interface Lines {
  readonly table: string
  readonly last: number
  readonly count: number
}

const readTimeoutMs = 3_600_000

/** Writes a backup, restores it into a scratch file next to it and compares, before it gets its name. */
export async function takeBackup(backup: Backup): Promise<Restored & { readonly bytes: number }> {
  mustBePossible(backup)
  const atStart = await readLines(backup.databaseUrl)
  const { databaseUrl: fromUrl, now } = backup
  const copyInto = (toUrl: string) => copyDatabase({ fromUrl, toUrl, now, onTable: () => {} })
  const { bytes, found } = await backUp(backup, copyInto, (part) => restoreAside(part, now, atStart))
  return { bytes, ...found }
}

/** The lines that the backup must have. None for another schema, which may not have these tables. */
async function readLines(url: string): Promise<Lines[]> {
  await using db = await openForCommand({ url, name: 'petstore-backup', patienceMs: readTimeoutMs })
  if ((await versionOf(db)) !== petShop.migrations.length) return []
  const all: Lines[] = []
  for (const { name: table } of petShop.tables.filter(({ isAppendOnly }) => isAppendOnly)) {
    const [row] = await db.query<{ last: number }>(`SELECT coalesce(max(id), 0) AS last FROM ${table}`)
    const last = row?.last ?? 0
    all.push({ table, last, count: await countLines(db, table, last) })
  }
  return all
}

async function countLines(db: Queryable, table: string, last: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE id <= $1`, [last])
  return row?.count ?? 0
}

async function restoreAside(file: string, now: number, expected: readonly Lines[]): Promise<Restored> {
  const directory = mkdtempSync(`${file}-restored-`)
  const path = join(directory, 'petstore.db')
  try {
    await restore({ databaseUrl: `sqlite:${path}`, file, now })
    await using db = openSqlite(path)
    await migrate(db, now, petShop.migrations)
    for (const { table, last, count } of expected) {
      const restored = await countLines(db, table, last)
      if (restored < count)
        throw new Error(
          `The backup has only ${restored} of ${count} rows of ${table}. It was removed. Run the backup again; if this happens again, check the disk.`,
        )
    }
    return { rows: await countRows(db, petShop.tables), gaps: await describeGaps(db) }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
