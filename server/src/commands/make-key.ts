import { existsSync } from 'node:fs'
import type { Fault } from '../platform/api/faults.ts'
import { check } from '../platform/api/validate.ts'
import type { Database } from '../platform/db/database.ts'
import { pendingMigrations, versionOf } from '../platform/db/migrate.ts'
import { openForCommand, sqlitePath } from '../platform/db/open.ts'
import { continuePositions } from '../platform/events/numbering.ts'
import { createKey } from '../platform/keys/create.ts'
import { scopesOf } from '../platform/keys/fields.ts'
import { administrator, adminPreset } from '../platform/keys/plans.ts'
import { showKeyWithSecret } from '../platform/keys/show.ts'
import { petShop } from '../shop/index.ts'

/** The key to create. Absent fields get the values of an administrator's key. */
export interface KeyOptions {
  readonly name?: string | undefined
  readonly plan?: string | undefined
  readonly preset?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly limits?: { readonly perMinute?: number | undefined; readonly perDay?: number | undefined } | undefined
  readonly expiresAt?: string | undefined
}

/**
 * Creates a key directly in the database, whether the service runs or not: for the database's owner, when there is no key left
 * that can create another.
 */
export async function makeKey(databaseUrl: string, options: KeyOptions, now: number) {
  const key = checkOptions(options)
  await using db = await open(databaseUrl)
  await mustBeReady(db)
  const created = await db.transaction(async (tx) => {
    await continuePositions(tx, now)
    return createKey(tx, { now }, key)
  })
  return showKeyWithSecret(created)
}

function checkOptions(options: KeyOptions) {
  const { name = 'Administrator', plan = administrator.plan, preset, scopes, limits, expiresAt } = options
  const faults: Fault[] = []
  const key = check(
    petShop.NewApiKey,
    {
      name,
      plan,
      limits: limits ?? (plan === administrator.plan ? administrator.limits : undefined),
      scopes,
      preset: preset ?? (scopes ? undefined : adminPreset),
      expiresAt,
    },
    'body',
    faults,
  )
  if (key) return { ...key, scopes: scopesOf(petShop.presets, key) ?? [] }
  const lines = faults.map(({ path, message }) => `  ${path.slice(1)}: ${message}`)
  throw new Error(`The key cannot be created:\n${lines.join('\n')}`)
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
    throw new Error('The database is empty. The first start of the service creates an administrator key.')
  }
  const pending = await pendingMigrations(db, petShop.migrations)
  if (pending.length > 0) throw new Error('The schema is older than this program. Update it: petstore migrate')
}
