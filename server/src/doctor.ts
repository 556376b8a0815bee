import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, readConfig } from './config.ts'
import type { Database } from './db/database.ts'
import { currentVersion, pendingMigrations, versionOf } from './db/migrate.ts'
import { openForCommand, sqlitePath } from './db/open.ts'
import { findHarmfulSettings } from './db/server-settings.ts'
import { lookForHoles, mendHoles } from './holes.ts'
import { hourMs } from './lib/time.ts'

/** What was looked at, how it is, and what to do where it is not well. */
export interface Finding {
  readonly check: 'configuration' | 'database' | 'settings' | 'data' | 'clock' | 'disk' | 'service'
  readonly state: 'well' | 'mind' | 'fault'
  readonly says: string
  readonly advice?: string
}

interface Surroundings {
  readonly env: Record<string, string | undefined>
  readonly now: () => number
  /** Writes what is found missing in the data. */
  readonly mend?: boolean
}

const clockOffMsMax = 2_000
const freeBytesMin = 256 * 1024 * 1024
const answerWithinMs = 3_000
const readWithinMs = hourMs

/** Looks at all that the service needs, running or not, and changes nothing unless it is to mend. */
export async function examine({ env, now, mend = false }: Surroundings): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    const advice = 'Correct these variables of the environment. An empty value counts as not set.'
    return [{ check: 'configuration', state: 'fault', says: text(error), advice }]
  }
  const shown = sqlitePath(config.databaseUrl) === undefined ? 'PostgreSQL' : config.databaseUrl
  return [
    { check: 'configuration', state: 'well', says: `Every setting can be used; the data is in ${shown}.` },
    ...(await lookAtDatabase(config, now)),
    ...(await lookAtData(config, now, mend)),
    ...lookAtDisk(config),
    await lookAtService(config, now),
  ]
}

async function lookAtDatabase({ databaseUrl }: Config, now: () => number): Promise<Finding[]> {
  const path = sqlitePath(databaseUrl)
  if (path !== undefined && !existsSync(path)) {
    const advice = 'The first start makes it: petstore serve. Or set DATABASE_URL to the one you mean.'
    return [{ check: 'database', state: 'mind', says: `There is no database ${path} yet.`, advice }]
  }
  try {
    const db = await openForCommand({ url: databaseUrl, name: 'petstore-doctor' })
    try {
      return [await lookAtSchema(db), ...(await lookAtSettings(db)), await lookAtClock(db, now)]
    } finally {
      await db.close()
    }
  } catch (error) {
    const advice = 'Set DATABASE_URL to the database the service uses, and see that it runs and may be written.'
    return [{ check: 'database', state: 'fault', says: text(error), advice }]
  }
}

/** Whether each change has all that belongs to it. Nothing is said of a database that cannot be read, or has another schema. */
async function lookAtData({ databaseUrl: url }: Config, now: () => number, mend: boolean): Promise<Finding[]> {
  const check = 'data'
  const path = sqlitePath(url)
  if (path !== undefined && !existsSync(path)) return []
  try {
    const db = await openForCommand({ url, name: 'petstore-doctor', patienceMs: readWithinMs })
    try {
      if ((await versionOf(db)) !== currentVersion) return []
      const holes = mend ? await mendHoles(db, now()) : await lookForHoles(db)
      if (holes.length === 0) {
        return [{ check, state: 'well', says: 'Ledger, history, events and counts are complete.' }]
      }
      if (mend) return [{ check, state: 'well', says: `Mended: ${holes.join('; ')}.` }]
      const advice = 'Make a backup, then run: petstore doctor --mend'
      return [{ check, state: 'fault', says: `${holes.join('; ')}.`, advice }]
    } finally {
      await db.close()
    }
  } catch (error) {
    // What cannot be opened was told of before.
    return mend ? [{ check, state: 'fault', says: text(error), advice: 'Nothing was mended. Try again.' }] : []
  }
}

async function lookAtSchema(db: Database): Promise<Finding> {
  const check = 'database'
  const condition = await db.condition()
  if (condition !== 'ok') {
    return { check, state: 'fault', says: `It is ${condition}.`, advice: 'docs/operating.md says what to do about it.' }
  }
  const version = await versionOf(db)
  if (version === 0) {
    const advice = 'The first start fills it: petstore serve. Or set DATABASE_URL to the one you mean.'
    return { check, state: 'mind', says: 'It is empty.', advice }
  }
  const pending = await pendingMigrations(db)
  return pending.length === 0
    ? { check, state: 'well', says: `It can be read and written; its schema is up to date (${version}).` }
    : { check, state: 'mind', says: `Its schema is ${pending.length} steps behind.`, advice: 'Run: petstore migrate' }
}

/** A finding for each setting of the server that hurts; one where there are settings and none does. */
async function lookAtSettings(db: Database): Promise<Finding[]> {
  if (db.dialect.settings === undefined) return []
  const harmful = await findHarmfulSettings(db)
  if (harmful.length === 0) {
    return [{ check: 'settings', state: 'well', says: "None of PostgreSQL's settings hurts the service." }]
  }
  return harmful.map(({ name, value, wanted, harm }) => ({
    check: 'settings',
    state: 'mind',
    says: `PostgreSQL has ${name} = ${value}, which ${harm}.`,
    advice: `Set it to ${wanted}, for the server, the database or the role, wherever it was changed.`,
  }))
}

async function lookAtClock(db: Database, now: () => number): Promise<Finding> {
  const [row] = await db.query<{ now: number }>(db.dialect.clock)
  return compareClocks("the database's", (row?.now ?? 0) - now())
}

function compareClocks(whose: string, offMs: number): Finding {
  if (Math.abs(offMs) <= clockOffMsMax) {
    return { check: 'clock', state: 'well', says: `This machine's clock agrees with ${whose}.` }
  }
  const says = `This machine's clock is ${Math.round(Math.abs(offMs) / 1000)} s ${offMs > 0 ? 'behind' : 'ahead of'} ${whose}.`
  return { check: 'clock', state: 'fault', says, advice: 'Keep the clocks together with NTP: limits go by them.' }
}

function lookAtDisk({ databaseUrl }: Config): Finding[] {
  const path = sqlitePath(databaseUrl)
  if (path === undefined) return [{ check: 'disk', state: 'well', says: "PostgreSQL's disk is its own affair." }]
  const { bavail, bsize } = statfsSync(nearestDirectory(path))
  const freeBytes = bavail * bsize
  const size = existsSync(path) ? statSync(path).size : 0
  // A backup beside the database needs as much again.
  const wanted = Math.max(freeBytesMin, size)
  const says = `${megabytes(freeBytes)} are free where the database is, which takes ${megabytes(size)}.`
  return freeBytes >= wanted
    ? [{ check: 'disk', state: 'well', says }]
    : [{ check: 'disk', state: 'fault', says, advice: `Make room: have at least ${megabytes(wanted)} free.` }]
}

function nearestDirectory(path: string): string {
  let directory = dirname(resolve(path))
  while (!existsSync(directory)) directory = dirname(directory)
  return directory
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024).toLocaleString('en')} MB`

/** Not running is no fault: somebody may want to know before the first start. */
async function lookAtService({ port, baseUrl }: Config, now: () => number): Promise<Finding> {
  const check = 'service'
  try {
    const answer = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) })
    const offMs = Date.parse(answer.headers.get('date') ?? '') - now()
    if (Math.abs(offMs) > clockOffMsMax) return compareClocks(`the clock of ${baseUrl}`, offMs)
    if (answer.ok) return { check, state: 'well', says: `It answers at ${baseUrl} and is ready.` }
    const says = `It answers at ${baseUrl}, but is not ready (${answer.status}): ${(await answer.text()).slice(0, 200)}`
    return { check, state: 'fault', says, advice: 'docs/operating.md says what each word of it means.' }
  } catch {
    return {
      check,
      state: 'mind',
      says: `Nothing answers at ${baseUrl}.`,
      advice: `Start it: petstore serve (port ${port}).`,
    }
  }
}

function text(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
