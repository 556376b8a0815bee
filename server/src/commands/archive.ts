import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../platform/db/database.ts'
import { versionOf } from '../platform/db/migrate.ts'
import { openForCommand, sqlitePath } from '../platform/db/open.ts'
import { dayMs, minuteMs } from '../platform/lib/time.ts'
import { petShop } from '../shop/index.ts'
import {
  type ArchivedOrder,
  continueIdsAfter,
  type FoundOrders,
  findArchives,
  findOldOrders,
  type RowCounts,
  removeOrders,
  returnOrders,
} from '../shop/orders/archive.ts'
import { type ArchiveFile, type ArchiveFolder, openArchiveFolder } from './archive-folder.ts'

interface Work {
  /** As in DATABASE_URL. */
  readonly databaseUrl: string
  readonly folder: string
  readonly now: number
  /** Called when a file is done: its orders are now only in the file, or back in the database. */
  readonly onFile: (file: ArchiveFile) => void
}

interface Archived extends RowCounts {
  readonly files: number
  /** Orders that stay because their rows contradict each other. */
  readonly contradictory: number
}

/** The summary keeps hours for this long. Clients may retry an order, or be notified of it, only for a shorter time. */
const youngestMs = 90 * dayMs
const patienceMs = minuteMs
/** How many lines of history a batch reads, and how long it may use the database: if it takes longer, the next one is half as large. */
const lines = { first: 256, least: 32, most: 2_048 }
const batchMsMax = 100

/**
 * Moves completed and cancelled orders that last changed before a time from the database to files, in batches with one file and one
 * transaction each. After each batch it pauses for as long as that used the database, so that the service has it at least half the time.
 */
export async function archive({ before, ...work }: Work & { readonly before: number }): Promise<Archived> {
  const { folder: path, now, onFile } = work
  if (before > now - youngestMs)
    throw new Error('Only orders of more than 90 days ago can be archived: name an earlier date.')
  await using db = await openShop(work)
  using folder = openArchiveFolder(path)
  const done = { files: 0, orders: 0, history: 0, movements: 0, contradictory: 0 }
  let usedMs = 0
  async function timed<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const result = await work()
    usedMs += performance.now() - startedAt
    return result
  }
  const remove = async (file: ArchiveFile, orders: readonly ArchivedOrder[]) => {
    await timed(() =>
      db.transaction((tx) => removeOrders(tx, orders, { before: file.before, sha256: file.sha256, now })),
    )
    done.files++
    for (const key of ['orders', 'history', 'movements'] as const) done[key] += file.rows[key]
    onFile(file)
  }
  const interrupted = await findInterrupted(db, folder)
  if (interrupted && interrupted.before > before) {
    const date = new Date(interrupted.before).toISOString()
    throw new Error(
      `The last archive, with --before ${date}, was interrupted or was restored since. Give that date again, or name a new folder.`,
    )
  }
  if (interrupted) await remove(interrupted, folder.read(interrupted))

  let size = lines.first
  for (let after: number | undefined = 0; after !== undefined; ) {
    usedMs = 0
    const search = { after, before, lines: size }
    const found: FoundOrders = await timed(() => findOldOrders(db, search))
    done.contradictory += found.contradictory
    if (found.orders.length > 0) await remove(folder.write(found.orders, before), found.orders)
    size = usedMs > batchMsMax ? Math.max(lines.least, size / 2) : Math.min(lines.most, size * 2)
    after = found.last
    await pause(usedMs)
  }
  return done
}

/** The last file, if the program was stopped before its orders were deleted. */
async function findInterrupted(db: Database, folder: ArchiveFolder): Promise<ArchiveFile | undefined> {
  const removed = await findArchives(db)
  const others = folder.files().filter(({ sha256 }) => !removed.has(sha256))
  const last = folder.files().at(-1)
  if (others.length === 0) return undefined
  if (others.length === 1 && others[0] === last) return last
  throw new Error(
    'The folder has orders that were not archived from this database, or that were restored since. Name a new folder.',
  )
}

/** Returns archived orders to the database they came from, or to an empty one. Checks all files first. */
export async function restoreArchive(work: Work): Promise<RowCounts & { readonly files: number }> {
  if (!existsSync(work.folder))
    throw new Error(`There is no folder ${work.folder}. Name one that petstore archive wrote.`)
  await using db = await openShop(work)
  using folder = openArchiveFolder(work.folder)
  const done = { files: 0, orders: 0, history: 0, movements: 0 }
  const highest = { orders: 0, history: 0, movements: 0 }
  for (const file of folder.files()) {
    folder.read(file)
    for (const key of ['orders', 'history', 'movements'] as const)
      highest[key] = Math.max(highest[key], file.highestIds[key])
  }
  await continueIdsAfter(db, highest)
  for (const file of folder.files()) {
    const orders = folder.read(file)
    if (!(await db.transaction((tx) => returnOrders(tx, orders, file)))) continue
    done.files++
    for (const key of ['orders', 'history', 'movements'] as const) done[key] += file.rows[key]
    work.onFile(file)
  }
  return done
}

async function openShop({ databaseUrl }: Work): Promise<Database> {
  const path = sqlitePath(databaseUrl)
  if (path !== undefined && !existsSync(path))
    throw new Error(`There is no database ${path}. Set DATABASE_URL to the one that the service uses.`)
  const db = await openForCommand({ url: databaseUrl, name: 'petstore-archive', patienceMs })
  if ((await versionOf(db)) === petShop.migrations.length) return db
  await db.close()
  throw new Error('The schema of the database is not that of this program. Run: petstore migrate')
}
