import { existsSync } from 'node:fs'
import type { ReportProgress } from './database.ts'
import { migrate, numberMigrations, type Pending, pendingMigrations } from './migrate.ts'
import { released } from './migrations/released.ts'
import { openForCommand, sqlitePath } from './open.ts'

interface Command {
  /** As in DATABASE_URL. */
  readonly databaseUrl: string
  /** Only report what would be done. */
  readonly check: boolean
  readonly now: number
  readonly say: (line: string) => void
}

/** Migrates a database without serving it. Returns the exit code: 1 if a check finds pending migrations. */
export async function migrateCommand({ databaseUrl, check, now, say }: Command): Promise<0 | 1> {
  const path = sqlitePath(databaseUrl)
  // Opening a missing file would create it, and a check must not.
  if (check && path !== undefined && !existsSync(path)) return reportPending(numberMigrations(released), say)
  await using db = await openForCommand({ url: databaseUrl, name: 'petstore-migrate', migrating: !check })
  if (check) return reportPending(await pendingMigrations(db), say)
  const report: ReportProgress = (_, message, fields) => say(`${message} ${JSON.stringify(fields ?? {})}`)
  const { applied } = await migrate(db, now, released, report)
  for (const name of applied) say(`Applied: ${name}`)
  say('The schema is up to date.')
  return 0
}

function reportPending(pending: readonly Pending[], say: Command['say']): 0 | 1 {
  for (const { version, migration } of pending) say(`Would apply ${version}: ${migration.name}`)
  if (pending.length > 0) return 1
  say('The schema is up to date.')
  return 0
}
