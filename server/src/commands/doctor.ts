import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, checkHost, readConfig } from '../config.ts'
import type { Database } from '../platform/db/database.ts'
import { pendingMigrations, versionOf } from '../platform/db/migrate.ts'
import { openForCommand, sqlitePath } from '../platform/db/open.ts'
import { CannotConnect } from '../platform/db/postgres-failure.ts'
import { findHarmfulSettings } from '../platform/db/server-settings.ts'
import { CannotOpen } from '../platform/db/sqlite.ts'
import { hourMs } from '../platform/lib/time.ts'
import { petShop } from '../shop/index.ts'
import { countArchivedOrders } from '../shop/orders/archive.ts'
import { describeGaps, repairGaps } from './gaps.ts'

/** The result of one check, and what to do if it is not ok. */
export interface Finding {
  readonly check: 'configuration' | 'database' | 'settings' | 'data' | 'clock' | 'disk' | 'service'
  readonly state: 'ok' | 'warning' | 'error'
  readonly says: string
  readonly advice?: string
}

interface ExamineOptions {
  readonly env: Record<string, string | undefined>
  readonly now: () => number
  /** Writes missing data. */
  readonly mend?: boolean
}

const clockOffMsMax = 2_000
const freeBytesMin = 256 * 1024 * 1024
const responseTimeoutMs = 3_000
const readTimeoutMs = hourMs

/** Checks everything the service needs, whether it runs or not. Changes nothing, unless `mend` is set. */
export async function examine({ env, now, mend = false }: ExamineOptions): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
    await checkHost(config)
  } catch (error) {
    const advice = 'Correct these environment variables. An empty value counts as not set.'
    return [{ check: 'configuration', state: 'error', says: text(error), advice }]
  }
  const url = config.databaseDirectUrl ?? config.databaseUrl
  const database = sqlitePath(url) === undefined ? 'PostgreSQL' : url
  return [
    { check: 'configuration', state: 'ok', says: `All settings are valid; the data is in ${database}.` },
    ...(await checkDatabase(url, now)),
    ...(await checkData(url, now, mend)),
    ...checkDisk(url),
    await checkService(env.PETSTORE_URL || config.baseUrl, now),
  ]
}

async function checkDatabase(databaseUrl: string, now: () => number): Promise<Finding[]> {
  const path = sqlitePath(databaseUrl)
  if (path !== undefined && !existsSync(path)) {
    const advice = 'The first start creates it: petstore serve. Or set DATABASE_URL to another one.'
    return [{ check: 'database', state: 'warning', says: `There is no database ${path} yet.`, advice }]
  }
  try {
    await using db = await openForCommand({ url: databaseUrl, name: 'petstore-doctor' })
    return [await checkSchema(db), ...(await checkSettings(db)), await checkClock(db, now)]
  } catch (error) {
    if (error instanceof CannotConnect)
      return [{ check: 'database', state: 'error', says: error.why, advice: error.advice }]
    const advice = 'Set DATABASE_URL to the database the service uses, and check that it is running and writable.'
    return [{ check: 'database', state: 'error', says: text(error), advice }]
  }
}

/** Checks that stock movements, history, events and counts are complete. Skips a database that cannot be read or has another schema. */
async function checkData(url: string, now: () => number, mend: boolean): Promise<Finding[]> {
  const check = 'data'
  const path = sqlitePath(url)
  if (path !== undefined && !existsSync(path)) return []
  try {
    await using db = await openForCommand({ url, name: 'petstore-doctor', patienceMs: readTimeoutMs })
    if ((await versionOf(db)) !== petShop.migrations.length) return []
    const gaps = mend ? await repairGaps(db, now()) : await describeGaps(db)
    if (gaps.length === 0) {
      const archived = await countArchivedOrders(db)
      const andArchive = archived > 0 ? ` ${archived.toLocaleString('en')} orders are archived.` : ''
      return [
        { check, state: 'ok', says: `Stock history, order history, events and counts are complete.${andArchive}` },
      ]
    }
    if (mend) return [{ check, state: 'ok', says: `Mended: ${gaps.join('; ')}.` }]
    const advice = 'Make a backup, then run: petstore doctor --mend'
    return [{ check, state: 'error', says: `${gaps.join('; ')}.`, advice }]
  } catch (error) {
    // checkDatabase has already reported a database that cannot be opened.
    if (!mend && (error instanceof CannotConnect || error instanceof CannotOpen)) return []
    const advice = mend
      ? 'Nothing was mended. Try again.'
      : 'Not all data could be read. Try again; if it fails again, check the disk, or restore a backup.'
    return [{ check, state: 'error', says: text(error), advice }]
  }
}

async function checkSchema(db: Database): Promise<Finding> {
  const check = 'database'
  const condition = await db.condition()
  if (condition !== 'ok') {
    return { check, state: 'error', says: `It is ${condition}.`, advice: 'See docs/monitor.md for its meaning.' }
  }
  const version = await versionOf(db)
  if (version === 0) {
    const advice = 'The first start fills it: petstore serve. Or set DATABASE_URL to another one.'
    return { check, state: 'warning', says: 'It is empty.', advice }
  }
  const pending = await pendingMigrations(db, petShop.migrations)
  return pending.length === 0
    ? { check, state: 'ok', says: `It is readable and writable, and its schema is up to date (${version}).` }
    : {
        check,
        state: 'warning',
        says: `Its schema lacks migrations: ${pending.map(({ migration }) => migration.name).join(', ')}.`,
        advice: 'Run: petstore migrate',
      }
}

/** One finding per harmful PostgreSQL setting, or one that says there are none. */
async function checkSettings(db: Database): Promise<Finding[]> {
  if (db.dialect.settings === undefined) return []
  const harmful = await findHarmfulSettings(db)
  if (harmful.length === 0) {
    return [{ check: 'settings', state: 'ok', says: "PostgreSQL's settings are fine." }]
  }
  return harmful.map(({ name, value, wanted, harm }) => ({
    check: 'settings',
    state: 'warning',
    says: `PostgreSQL has ${name} = ${value}, which ${harm}.`,
    advice: `Set it to ${wanted} for the server, the database or the role, wherever it was changed.`,
  }))
}

async function checkClock(db: Database, now: () => number): Promise<Finding> {
  const [row] = await db.query<{ now: number }>(db.dialect.clock)
  return compareClocks("the database's", (row?.now ?? 0) - now())
}

function compareClocks(whose: string, offMs: number): Finding {
  if (Math.abs(offMs) <= clockOffMsMax) {
    return { check: 'clock', state: 'ok', says: `This machine's clock agrees with ${whose}.` }
  }
  const says = `This machine's clock is ${Math.round(Math.abs(offMs) / 1000)} s ${offMs > 0 ? 'behind' : 'ahead of'} ${whose}.`
  return { check: 'clock', state: 'error', says, advice: 'Synchronize the clocks with NTP: limits depend on them.' }
}

function checkDisk(databaseUrl: string): Finding[] {
  const path = sqlitePath(databaseUrl)
  if (path === undefined) return [{ check: 'disk', state: 'ok', says: 'Not checked: PostgreSQL has its own disk.' }]
  const { bavail, bsize } = statfsSync(nearestDirectory(path))
  const freeBytes = bavail * bsize
  const size = existsSync(path) ? statSync(path).size : 0
  // A backup next to the database needs the same space again.
  const wanted = Math.max(freeBytesMin, size)
  const says = `${megabytes(freeBytes)} free; the database uses ${megabytes(size)}.`
  return freeBytes >= wanted
    ? [{ check: 'disk', state: 'ok', says }]
    : [{ check: 'disk', state: 'error', says, advice: `Free up space: at least ${megabytes(wanted)} are needed.` }]
}

function nearestDirectory(path: string): string {
  let directory = dirname(resolve(path))
  while (!existsSync(directory)) directory = dirname(directory)
  return directory
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024).toLocaleString('en')} MB`

/** A service that is not running is no error: the command may be used before the first start. */
async function checkService(baseUrl: string, now: () => number): Promise<Finding> {
  const check = 'service'
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(responseTimeoutMs) })
    const offMs = Date.parse(response.headers.get('date') ?? '') - now()
    if (Math.abs(offMs) > clockOffMsMax) return compareClocks(`the clock of ${baseUrl}`, offMs)
    const text = await response.text()
    // A node stays ready for a while without its database, so the status code alone says too little.
    if (response.ok && text.includes('"status":"ok"'))
      return { check, state: 'ok', says: `It responds at ${baseUrl} and is ready.` }
    const says = `It responds at ${baseUrl}, but is not ready (${response.status}): ${text.slice(0, 200)}`
    return { check, state: 'error', says, advice: 'See docs/monitor.md for the meaning of each state.' }
  } catch {
    return {
      check,
      state: 'warning',
      says: `Nothing responds at ${baseUrl}.`,
      advice: 'Start it: petstore serve. Or set PETSTORE_URL to the service to check.',
    }
  }
}

function text(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
