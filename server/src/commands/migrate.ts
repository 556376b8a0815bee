import { existsSync } from 'node:fs'
import type { ReportProgress } from '../platform/db/database.ts'
import { migrate, numberMigrations, type Pending, pendingMigrations } from '../platform/db/migrate.ts'
import { openForCommand, sqlitePath } from '../platform/db/open.ts'
import { petShop } from '../shop/index.ts'

const { migrations } = petShop

interface Command {
  /** As in DATABASE_URL. */
  readonly databaseUrl: string
  /** Only report what would be done. */
  readonly check: boolean
  readonly now: number
  /** Called while it has to wait. */
  readonly say: (line: string) => void
}

interface Migrated {
  /** What a check found to do. */
  readonly pending: readonly { readonly version: number; readonly name: string }[]
  readonly applied: readonly string[]
}

/** Migrates a database without serving it. */
export async function migrateCommand({ databaseUrl, check, now, say }: Command): Promise<Migrated> {
  const path = sqlitePath(databaseUrl)
  // Opening a missing file would create it, and a check must not.
  if (check && path !== undefined && !existsSync(path)) return describePending(numberMigrations(migrations))
  await using db = await openForCommand({ url: databaseUrl, name: 'petstore-migrate' })
  if (check) return describePending(await pendingMigrations(db, migrations))
  const report: ReportProgress = (_, message, fields) => say(`${message} ${JSON.stringify(fields ?? {})}`)
  const { applied } = await migrate(db, now, migrations, report)
  return { pending: [], applied }
}

const describePending = (all: readonly Pending[]): Migrated => ({
  pending: all.map(({ version, migration: { name } }) => ({ version, name })),
  applied: [],
})
