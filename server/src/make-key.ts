import { existsSync } from 'node:fs'
import type { Fault } from './api/errors.ts'
import { check } from './api/validate.ts'
import type { Database } from './db/database.ts'
import { pendingMigrations, versionOf } from './db/migrate.ts'
import { openForCommand, sqlitePath } from './db/open.ts'
import { continuePlaces } from './events/numbering.ts'
import { createKey } from './keys/create.ts'
import { NewApiKey } from './keys/operations.ts'
import { administrator } from './keys/plans.ts'
import { showKeyWithSecret } from './keys/show.ts'

/** What is said of the key to make. What is not is an administrator's. */
export interface Wanted {
  readonly name?: string | undefined
  readonly plan?: string | undefined
  readonly preset?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly limits?: { readonly perMinute?: number | undefined; readonly perDay?: number | undefined } | undefined
  readonly expiresAt?: string | undefined
}

/**
 * Makes a key in the database itself, whether the service runs or not: for whoever owns the database, when no key that could
 * make another is left.
 */
export async function makeKey(databaseUrl: string, wanted: Wanted, now: number) {
  const key = checked(wanted)
  const db = await open(databaseUrl)
  try {
    await mustBeReady(db)
    const made = await db.transaction(async (tx) => {
      await continuePlaces(tx, now)
      return createKey(tx, { now }, key)
    })
    return showKeyWithSecret(made)
  } finally {
    await db.close()
  }
}

function checked(wanted: Wanted) {
  const { name = 'Administrator', plan = administrator.plan, preset, scopes, limits, expiresAt } = wanted
  const faults: Fault[] = []
  const key = check(
    NewApiKey,
    {
      name,
      plan,
      limits: limits ?? (plan === administrator.plan ? administrator.limits : undefined),
      scopes,
      preset: preset ?? (scopes ? undefined : administrator.preset),
      expiresAt,
    },
    'body',
    faults,
  )
  if (key) return key
  const lines = faults.map(({ path, message }) => `  ${path.split('/')[1]}: ${message}`)
  throw new Error(`The key cannot be made:\n${lines.join('\n')}`)
}

async function open(url: string): Promise<Database> {
  const path = sqlitePath(url)
  if (path !== undefined && !existsSync(path)) {
    throw new Error(`There is no database ${path}. Set DATABASE_URL to the one the service uses.`)
  }
  return openForCommand({ url, name: 'petstore-key' })
}

async function mustBeReady(db: Database): Promise<void> {
  try {
    await db.query('SELECT 1')
  } catch (error) {
    const { cause, message } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    throw new Error(`The database cannot be reached (${reason}). Set DATABASE_URL to the one the service uses.`)
  }
  if ((await versionOf(db)) === 0) {
    throw new Error('The database is empty. The first start of the service makes an admin key.')
  }
  const pending = await pendingMigrations(db)
  if (pending.length > 0)
    throw new Error('The schema is older than this program. Bring it up to date: petstore migrate')
}
